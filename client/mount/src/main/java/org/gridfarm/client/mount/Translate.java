package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

/** Attributes, file types and failures between the farm's form and the kernel's. */
final class Translate {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BLOCK = 512;

    /**
     * st_blksize: what cp and stdio read at once; larger buffers cost programs memory for small
     * files.
     */
    private static final int IO_BYTES = 128 << 10;

    private Translate() {}

    static void fill(org.gridfarm.client.mount.fuse.Attributes to, Attributes from, long atime) {
        to.inode = from.getInode();
        to.size =
                from.getType() == FileType.DIRECTORY
                        ? Math.max(from.getSize(), 4096)
                        : from.getSize();
        to.blocks = blocks(from);
        to.atime = Math.floorDiv(atime, NANOS_PER_SECOND);
        to.mtime = Math.floorDiv(from.getMtime(), NANOS_PER_SECOND);
        to.ctime = Math.floorDiv(from.getCtime(), NANOS_PER_SECOND);
        to.btime = Math.floorDiv(from.getBtime(), NANOS_PER_SECOND);
        to.atimeNanos = (int) Math.floorMod(atime, NANOS_PER_SECOND);
        to.mtimeNanos = (int) Math.floorMod(from.getMtime(), NANOS_PER_SECOND);
        to.ctimeNanos = (int) Math.floorMod(from.getCtime(), NANOS_PER_SECOND);
        to.btimeNanos = (int) Math.floorMod(from.getBtime(), NANOS_PER_SECOND);
        to.mode = format(from.getType()) | (from.getMode() & Flags.PERMISSIONS);
        to.links = from.getNlink();
        to.uid = from.getUid();
        to.gid = from.getGid();
        to.device = from.getRdev();
        to.blockBytes = IO_BYTES;
    }

    private static long blocks(Attributes from) {
        return switch (from.getType()) {
            case REGULAR -> {
                long bytes =
                        from.hasAllocated() ? from.getAllocated() : Space.ofSize(from.getSize());
                yield (bytes + BLOCK - 1) / BLOCK;
            }
            case DIRECTORY -> 8;
            default -> 0;
        };
    }

    static int format(FileType type) {
        return switch (type) {
            case REGULAR, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> Flags.REGULAR;
            case DIRECTORY -> Flags.DIRECTORY;
            case SYMLINK -> Flags.SYMLINK;
            case FIFO -> Flags.FIFO;
            case SOCKET -> Flags.SOCKET;
            case CHARACTER_DEVICE -> Flags.CHARACTER_DEVICE;
            case BLOCK_DEVICE -> Flags.BLOCK_DEVICE;
        };
    }

    static FileType type(int mode) {
        return switch (mode & Flags.FORMAT_MASK) {
            case 0, Flags.REGULAR -> FileType.REGULAR;
            case Flags.FIFO -> FileType.FIFO;
            case Flags.SOCKET -> FileType.SOCKET;
            case Flags.CHARACTER_DEVICE -> FileType.CHARACTER_DEVICE;
            case Flags.BLOCK_DEVICE -> FileType.BLOCK_DEVICE;
            default ->
                    throw new FarmException(
                            ErrorKind.INVALID, "mknod", Integer.toOctalString(mode));
        };
    }
}
