package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;

/**
 * What repair has before it.
 *
 * @param files that lack copies and can be helped
 * @param lost files that lack them and cannot, until a holder returns
 * @param bytes to copy, about
 * @param seconds at the present rate; negative: not known
 */
public record RepairEstimate(long files, long lost, long bytes, double seconds) {
    static RepairEstimate of(ReplicaMap map, Files files, int examinedMax, double bytesPerSecond) {
        long under = map.count(Problem.UNDER);
        long lost = map.underCount(0);
        long bytes = 0;
        long[] some = map.list(Problem.UNDER, 0, examinedMax);
        for (long inode : some) {
            Standing standing = map.standing(inode);
            Content content = files.content(inode);
            if (standing != null && content != null && standing.live() > 0) {
                bytes += content.data() * Math.max(0, content.wanted() - standing.staying());
            }
        }
        long all = some.length == 0 ? 0 : (long) ((double) bytes / some.length * under);
        double seconds = all == 0 ? 0 : bytesPerSecond > 0 ? all / bytesPerSecond : -1;
        return new RepairEstimate(under - lost, lost, all, seconds);
    }
}
