package org.gridfarm.client.core.transfer.chain;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;

/**
 * Chunks fetched before a sequential reader asks for them. Thread-safe. Belongs to one handle; the
 * chunks of all handles together are bounded by the permits, and without a permit nothing is
 * fetched ahead.
 */
public final class ReadAhead {
    private static final int SEQUENTIAL_AFTER = 2; // reads that followed one another

    private final Semaphore permits;
    private final BiFunction<Long, Integer, CompletableFuture<ByteBuf>> fetch;

    private final Object lock = new Object(); // guards what follows
    private final TreeMap<Long, CompletableFuture<ByteBuf>> chunks = new TreeMap<>();
    private long expected;
    private int followed;
    private int window = 1;

    /**
     * @param fetch bytes of the file at an offset
     */
    public ReadAhead(
            Semaphore permits, BiFunction<Long, Integer, CompletableFuture<ByteBuf>> fetch) {
        this.permits = permits;
        this.fetch = fetch;
    }

    /**
     * The bytes if the reader is sequential; null: read them directly. The range lies within one
     * chunk and within the file.
     *
     * @param fileSize nothing is fetched behind it
     */
    public @Nullable CompletableFuture<ByteBuf> read(long offset, int length, long fileSize) {
        int chunk = TransferLimits.CHUNK_BYTES;
        long index = offset / chunk;
        List<Runnable> starts = new ArrayList<>();
        CompletableFuture<ByteBuf> mine;
        synchronized (lock) {
            note(offset, length);
            if (followed >= SEQUENTIAL_AFTER) {
                plan(index, fileSize, starts);
            }
            mine = chunks.get(index);
            drop(
                    chunks.headMap(
                            Math.max(
                                    0,
                                    index - 1))); // kernel read-ahead comes a little out of order
        }
        starts.forEach(Runnable::run);
        if (mine == null) {
            return null;
        }
        int from = (int) (offset - index * chunk);
        return mine.thenApply(bytes -> slice(bytes, from, length));
    }

    private ByteBuf slice(ByteBuf bytes, int from, int length) {
        synchronized (lock) { // a chunk that is being dropped has been released
            if (bytes.refCnt() == 0) {
                throw new java.util.concurrent.CancellationException("the chunk was dropped");
            }
            int there = Math.max(0, Math.min(length, bytes.readableBytes() - from));
            return bytes.retainedSlice(
                    bytes.readerIndex() + Math.min(from, bytes.readableBytes()), there);
        }
    }

    private void note(long offset, int length) {
        boolean follows =
                offset <= expected + TransferLimits.CHUNK_BYTES
                        && offset >= expected - TransferLimits.CHUNK_BYTES;
        if (follows && offset + length > expected) {
            followed++;
            window = Math.min(TransferLimits.AHEAD_CHUNKS_MAX, window + 1);
        } else if (!follows) {
            followed = 0;
            window = 1;
            drop(chunks);
        }
        expected = offset + length;
    }

    private void plan(long index, long fileSize, List<Runnable> starts) {
        int chunk = TransferLimits.CHUNK_BYTES;
        for (long i = index; i <= index + window; i++) {
            long at = i * chunk;
            if (at >= fileSize || chunks.containsKey(i)) {
                continue;
            }
            if (!permits.tryAcquire()) {
                return;
            }
            CompletableFuture<ByteBuf> bytes = new CompletableFuture<>();
            chunks.put(i, bytes);
            int length = (int) Math.min(chunk, fileSize - at);
            starts.add(() ->
                    fetch.apply(at, length)
                            .whenComplete((read, thrown) -> {
                                if (thrown == null) {
                                    bytes.complete(read);
                                } else {
                                    bytes.completeExceptionally(thrown);
                                }
                            }));
        }
    }

    public void clear() {
        synchronized (lock) {
            drop(chunks);
            followed = 0;
            window = 1;
        }
    }

    private void drop(java.util.SortedMap<Long, CompletableFuture<ByteBuf>> old) {
        for (CompletableFuture<ByteBuf> bytes : old.values()) {
            permits.release();
            bytes.whenComplete((read, thrown) -> {
                if (read != null) {
                    synchronized (lock) {
                        read.release();
                    }
                }
            });
        }
        old.clear();
    }
}
