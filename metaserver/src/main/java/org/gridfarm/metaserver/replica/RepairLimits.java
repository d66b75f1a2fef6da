package org.gridfarm.metaserver.replica;

/**
 * How hard repair may work; can be changed while it runs.
 *
 * @param copies under way at once in the farm
 * @param copiesPerNode under way at once from or to one node: disks and network of users go first
 * @param bytesPerSecond of all copies together, 0: no limit
 * @param balanceBytesPerSecond of what is moved for balance, 0: no limit
 * @param balanceSpread fullest and emptiest node may differ by this share of their capacity before
 *     content is moved, 1: never
 */
public record RepairLimits(
        int copies,
        int copiesPerNode,
        long bytesPerSecond,
        long balanceBytesPerSecond,
        double balanceSpread) {
    public static final RepairLimits USUAL = new RepairLimits(64, 4, 0, 0, 1);

    public RepairLimits {
        if (copies < 1
                || copiesPerNode < 1
                || bytesPerSecond < 0
                || balanceBytesPerSecond < 0
                || balanceSpread <= 0) {
            throw new IllegalArgumentException("limits of repair must be positive");
        }
    }

    public boolean balances() {
        return balanceSpread < 1;
    }

    public RepairLimits withBalance(long rate, double spread) {
        return new RepairLimits(copies, copiesPerNode, bytesPerSecond, rate, spread);
    }
}
