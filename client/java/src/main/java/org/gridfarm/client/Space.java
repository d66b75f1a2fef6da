package org.gridfarm.client;

import org.gridfarm.protocol.wire.StatFsReply;

/**
 * Bytes of the farm, divided by the replica level in force: what files may hold, not what disks
 * hold.
 *
 * @param free what no file takes
 * @param available what this user may still write
 * @param level copies by which they were divided
 */
public record Space(long total, long free, long available, int level) {
    static Space of(StatFsReply reply) {
        return new Space(reply.getTotal(), reply.getFree(), reply.getAvailable(), reply.getLevel());
    }
}
