package org.gridfarm.client.mount.fuse.memory;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The bytes of one file, in chunks; a chunk never written is a hole.
final class Content {

    static final int CHUNK = 64 * 1024;

    private final List<byte @Nullable []> chunks = new ArrayList<>();
    long size;

    /// Bytes that take memory.
    long allocated() {
        return chunks.stream().filter(chunk -> chunk != null).count() * CHUNK;
    }

    /// Puts up to `length` bytes from `offset` into `to`.
    int read(long offset, int length, ByteBuffer to) {
        int count = (int) Math.max(0, Math.min(length, size - offset));
        int done = 0;
        while (done < count) {
            long at = offset + done;
            int within = (int) (at % CHUNK);
            int step = Math.min(count - done, CHUNK - within);
            byte[] chunk = chunk(at);
            to.put(done, chunk != null ? chunk : new byte[CHUNK], within, step);
            done += step;
        }
        return count;
    }

    void write(long offset, ByteBuffer from) {
        int count = from.remaining();
        int done = 0;
        while (done < count) {
            long at = offset + done;
            int within = (int) (at % CHUNK);
            int step = Math.min(count - done, CHUNK - within);
            from.get(from.position() + done, writable(at), within, step);
            done += step;
        }
        size = Math.max(size, offset + count);
    }

    void truncate(long length) {
        if (length < size) {
            zero(length, size - length);
            int keep = (int) ((length + CHUNK - 1) / CHUNK);
            while (chunks.size() > keep) {
                chunks.removeLast();
            }
        }
        size = length;
    }

    /// Makes `length` bytes from `offset` read as zero; whole chunks become holes.
    void zero(long offset, long length) {
        long end = offset + length;
        long at = offset;
        while (at < end) {
            int within = (int) (at % CHUNK);
            int step = (int) Math.min(end - at, CHUNK - within);
            byte[] chunk = chunk(at);
            if (chunk != null && step == CHUNK) {
                chunks.set((int) (at / CHUNK), null);
            } else if (chunk != null) {
                Arrays.fill(chunk, within, within + step, (byte) 0);
            }
            at += step;
        }
    }

    /// Where data (or a hole) begins at or behind `offset`; -1 when there is none before the end.
    long seek(long offset, boolean data) {
        if (offset >= size) {
            return -1;
        }
        long at = offset;
        while (at < size) {
            if ((chunk(at) != null) == data) {
                return at;
            }
            at = (at / CHUNK + 1) * CHUNK;
        }
        return data ? -1 : size;
    }

    private byte @Nullable [] chunk(long at) {
        int index = (int) (at / CHUNK);
        return index < chunks.size() ? chunks.get(index) : null;
    }

    private byte[] writable(long at) {
        int index = (int) (at / CHUNK);
        while (chunks.size() <= index) {
            chunks.add(null);
        }
        byte[] chunk = chunks.get(index);
        if (chunk == null) {
            chunk = new byte[CHUNK];
            chunks.set(index, chunk);
        }
        return chunk;
    }
}
