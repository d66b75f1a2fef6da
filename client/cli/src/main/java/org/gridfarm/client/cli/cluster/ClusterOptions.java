package org.gridfarm.client.cli.cluster;

import java.util.List;

/**
 * What {@code gf cluster start} was asked for. Counts apply to a farm that does not exist yet; one
 * that does keeps its shape.
 *
 * @param racks storage nodes are dealt out to this many racks in turn
 * @param groups the racks are dealt out to this many groups, siteA, siteB, ...; one group is called
 *     default
 * @param mounts every storage node gets a mount of its own for its tasks, where FUSE can be used
 * @param userMount directory of the person's mount, attached to the first node; empty: none
 * @param repairAfter how long a node may be away before its copies are made again, such as "30s"
 */
public record ClusterOptions(
        int metaservers,
        int caches,
        int nodes,
        int racks,
        int groups,
        int slots,
        int schedulers,
        boolean mounts,
        String userMount,
        String repairAfter,
        List<String> mountOptions) {

    public static ClusterOptions usual() {
        return new ClusterOptions(1, 1, 3, 1, 1, 2, 1, true, "", "30s", List.of());
    }

    public ClusterOptions withUserMount(String directory) {
        return new ClusterOptions(
                metaservers,
                caches,
                nodes,
                racks,
                groups,
                slots,
                schedulers,
                mounts,
                directory,
                repairAfter,
                mountOptions);
    }
}
