package org.gridfarm.metaserver.sim;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Change;
import org.jspecify.annotations.Nullable;

/**
 * Something that has a value: an inode's time of change, or what a name in a directory leads to (0:
 * nothing).
 */
record Cell(long inode, @Nullable ByteString name) {
    static final long NOTHING = 0;

    /** What the cell is after a change. */
    record Value(Cell cell, long value) {}

    /** The value that a change gives to a cell; null where it changes none. */
    static @Nullable Value of(Change change) {
        return switch (change.getChangeCase()) {
            case INODE ->
                    new Value(
                            new Cell(change.getInode().getInode(), null),
                            change.getInode().getMtime());
            case DIRENT ->
                    new Value(
                            new Cell(change.getDirent().getParent(), change.getDirent().getName()),
                            change.getDirent().getInode());
            case DIRENT_GONE ->
                    new Value(
                            new Cell(
                                    change.getDirentGone().getParent(),
                                    change.getDirentGone().getName()),
                            NOTHING);
            default -> null;
        };
    }

    @Override
    public String toString() {
        ByteString entry = name;
        return entry == null ? "inode " + inode : inode + "/" + entry.toStringUtf8();
    }
}
