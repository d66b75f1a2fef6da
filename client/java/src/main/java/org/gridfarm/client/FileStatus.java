package org.gridfarm.client;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.wire.FileType;

import java.time.Instant;
import java.util.Optional;

/**
 * What the farm tells of one name.
 *
 * @param path as it was asked for
 * @param inode the same for all names of a file, and of no other as long as there is one
 * @param size bytes
 * @param mode permission bits, 07777
 * @param links names of it
 * @param created when it was made; empty: not known
 * @param replicas the level wanted: copies of every part
 */
public record FileStatus(
        String path,
        long inode,
        Type type,
        long size,
        int mode,
        int uid,
        int gid,
        int links,
        Instant modified,
        Instant accessed,
        Instant changed,
        Optional<Instant> created,
        int replicas) {
    /** OTHER: a FIFO, socket or device, which only a mount can open. */
    public enum Type {
        FILE,
        DIRECTORY,
        SYMBOLIC_LINK,
        OTHER
    }

    static FileStatus of(FileInfo info) {
        return new FileStatus(
                info.path().toString(),
                info.inode(),
                type(info.type()),
                info.size(),
                info.mode(),
                info.uid(),
                info.gid(),
                info.links(),
                info.modified(),
                info.accessed(),
                info.changed(),
                info.created(),
                info.replicasWanted());
    }

    private static Type type(FileType type) {
        return switch (type) {
            case REGULAR -> Type.FILE;
            case DIRECTORY -> Type.DIRECTORY;
            case SYMLINK -> Type.SYMBOLIC_LINK;
            default -> Type.OTHER;
        };
    }

    public boolean isFile() {
        return type == Type.FILE;
    }

    public boolean isDirectory() {
        return type == Type.DIRECTORY;
    }

    public boolean isSymbolicLink() {
        return type == Type.SYMBOLIC_LINK;
    }
}
