package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import org.gridfarm.client.mount.fuse.RawName;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/// Gives the same object for a name that came lately, so that looking the same names up again makes
/// no garbage. One per worker.
final class NameCache {

    private static final int SLOTS = 4096;

    private final @Nullable RawName[] slots = new RawName[SLOTS];

    /// The name of `length` bytes at `offset`.
    RawName name(MemorySegment segment, long offset, int length) {
        int hash = 1; // as Arrays.hashCode
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + segment.get(JAVA_BYTE, offset + i);
        }
        int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
        RawName known = slots[slot];
        if (known != null
                && known.hashCode() == hash
                && same(known.bytes(), segment, offset, length)) {
            return known;
        }
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, JAVA_BYTE, offset, bytes, 0, length);
        RawName fresh = new RawName(bytes);
        slots[slot] = fresh;
        return fresh;
    }

    private static boolean same(byte[] bytes, MemorySegment segment, long offset, int length) {
        if (bytes.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (segment.get(JAVA_BYTE, offset + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
