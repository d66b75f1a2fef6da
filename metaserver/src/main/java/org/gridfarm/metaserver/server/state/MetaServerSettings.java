package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.wire.Credentials;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The configuration of a metaserver.
 *
 * @param candidate may be elected; a server of role "cache" never is
 * @param accounts users listed in the configuration, before the host's own
 * @param repair how hard repair may work
 * @param repairAfter a node silent for so long is down, and its copies are made elsewhere
 * @param limits how much of the memory clients may take
 */
public record MetaServerSettings(
        DaemonSettings daemon,
        boolean candidate,
        Map<String, Credentials> accounts,
        Duration repairAfter,
        RepairLimits repair,
        ClientLimits limits) {
    private static final int COPIES_MAX = 10_000;

    private enum Role {
        AUTO,
        CACHE
    }

    /** Takes its keys; the database's and ZooKeeper's are read by their own rooms. */
    public static MetaServerSettings read(Config config) {
        return new MetaServerSettings(
                DaemonSettings.read(config),
                config.choice("role", Role.AUTO) == Role.AUTO,
                accounts(config),
                config.section("repair").duration("after", Duration.ofSeconds(30)),
                repair(config.section("repair")),
                ClientLimits.read(config.section("limits")));
    }

    /**
     * {@code [repair] rate = "0", copies = 64, copies_per_node = 4}: bytes per second of the whole
     * farm, 0 for no limit, and copies under way at once.
     */
    private static RepairLimits repair(Config config) {
        RepairLimits usual = RepairLimits.USUAL;
        return new RepairLimits(
                config.count("copies", usual.copies(), 1, COPIES_MAX),
                config.count("copies_per_node", usual.copiesPerNode(), 1, COPIES_MAX),
                config.bytes("rate", usual.bytesPerSecond()),
                usual.balanceBytesPerSecond(),
                usual.balanceSpread());
    }

    /**
     * {@code [accounts] users = ["alice:1000:1000,100", ...]}: name, uid, gid and further groups.
     */
    private static Map<String, Credentials> accounts(Config config) {
        Config section = config.section("accounts");
        Map<String, Credentials> accounts = new HashMap<>();
        for (String line : section.texts("users")) {
            String[] parts = line.split(":", -1);
            if (parts.length != 3)
                throw section.wrong("users", "'" + line + "' is not name:uid:gid[,gid...]");
            try {
                Credentials.Builder account =
                        Credentials.newBuilder().setUid(Integer.parseUnsignedInt(parts[1]));
                String[] groups = parts[2].split(",", -1);
                account.setGid(Integer.parseUnsignedInt(groups[0]));
                for (int i = 1; i < groups.length; i++)
                    account.addGroups(Integer.parseUnsignedInt(groups[i]));
                accounts.put(parts[0], account.build());
            } catch (NumberFormatException e) {
                throw section.wrong("users", "'" + line + "' is not name:uid:gid[,gid...]");
            }
        }
        return accounts;
    }
}
