package org.gridfarm.client.core.nio.watch;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

/**
 * What an entry looked like. Of a directory only who may do what in it: what is in it is for a
 * watcher of its own.
 */
record Sight(
        long inode,
        int mode,
        int uid,
        int gid,
        int generation,
        long size,
        long modified,
        long changed) {
    static Sight of(Attributes now) {
        boolean directory = now.getType() == FileType.DIRECTORY;
        return new Sight(
                now.getInode(),
                now.getMode(),
                now.getUid(),
                now.getGid(),
                directory ? 0 : now.getGeneration(),
                directory ? 0 : now.getSize(),
                directory ? 0 : now.getMtime(),
                directory ? 0 : now.getCtime());
    }
}
