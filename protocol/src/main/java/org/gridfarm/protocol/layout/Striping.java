package org.gridfarm.protocol.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the bytes of a file lie in its objects: units of {@code unit} bytes go round over {@code
 * count} objects. Pure.
 *
 * @param count objects, at least 1
 * @param unit bytes; without meaning for one object
 */
public record Striping(int count, long unit) {
    public Striping {
        if (count > 1 && unit <= 0) {
            throw new IllegalArgumentException("a stripe unit of " + unit + " bytes");
        }
    }

    /** A run of bytes within one object. */
    public record Piece(int stripe, long objectOffset, long fileOffset, int length) {}

    /** The range cut at unit borders and at {@code lengthMax}, in file order. */
    public List<Piece> pieces(long offset, long length, int lengthMax) {
        List<Piece> pieces = new ArrayList<>();
        long at = offset;
        long end = offset + length;
        while (at < end) {
            long room = count == 1 ? Long.MAX_VALUE : unit - at % unit;
            int run = (int) Math.min(Math.min(end - at, room), lengthMax);
            pieces.add(new Piece(stripe(at), objectOffset(at), at, run));
            at += run;
        }
        return pieces;
    }

    public int stripe(long offset) {
        return count == 1 ? 0 : (int) (offset / unit % count);
    }

    public long objectOffset(long offset) {
        return count == 1 ? offset : offset / unit / count * unit + offset % unit;
    }

    /** Bytes of the file's first {@code size} bytes that lie in the object. */
    public long objectSize(int stripe, long size) {
        if (count == 1) {
            return size;
        }
        long row = unit * count;
        long rest = size % row - stripe * unit;
        return size / row * unit + Math.max(0, Math.min(unit, rest));
    }

    /** Size of the file if this object ends at {@code objectSize} and no other reaches further. */
    public long fileSize(int stripe, long objectSize) {
        if (count == 1 || objectSize == 0) {
            return objectSize;
        }
        return fileOffset(stripe, objectSize - 1) + 1;
    }

    /** Where in the file the byte of the object lies. */
    public long fileOffset(int stripe, long objectOffset) {
        return count == 1
                ? objectOffset
                : (objectOffset / unit * count + stripe) * unit + objectOffset % unit;
    }
}
