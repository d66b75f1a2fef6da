package org.gridfarm.client.mount.fuse.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Memory outside the heap for one request or one reply, with room for the errno of the call that
/// moves it. Pooled: see [BufferPool].
final class Buffer {

    private static final long PAGE = 4096;

    final MemorySegment segment;
    final long address;
    final MemorySegment errno;

    /// What follows a reply header, as a file system may fill it.
    final ByteBuffer reply;

    /// What follows the header of a WRITE.
    final ByteBuffer data;

    Buffer(int bytes) {
        // Freed when unreachable: a reply that was given up may still be looked at by the operation
        // that was late.
        Arena arena = Arena.ofAuto();
        segment = arena.allocate(bytes, PAGE);
        address = segment.address();
        errno = Libc.errnoRoom(arena);
        reply = segment.asSlice(Abi.OUT_BYTES).asByteBuffer();
        data = segment.asSlice(Abi.IN_BYTES + Abi.WRITE_BYTES).asByteBuffer();
    }
}
