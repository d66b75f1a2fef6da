package org.gridfarm.client.mount.fuse.linux;

import org.jspecify.annotations.Nullable;

/// Buffers of one size, last in first out so that the warm ones are used again. Thread-safe.
///
/// Taking one never waits: above `kept` free ones, buffers are left to the garbage collector.
final class BufferPool {

    private final int bytes;
    private final @Nullable Buffer[] free;
    private int count;

    BufferPool(int bytes, int kept) {
        this.bytes = bytes;
        this.free = new Buffer[kept];
    }

    int bytes() {
        return bytes;
    }

    Buffer take() {
        synchronized (this) {
            if (count > 0) {
                Buffer buffer = free[--count];
                free[count] = null;
                if (buffer != null) {
                    return buffer;
                }
            }
        }
        return new Buffer(bytes);
    }

    synchronized void give(Buffer buffer) {
        if (count < free.length) {
            free[count++] = buffer;
        }
    }
}
