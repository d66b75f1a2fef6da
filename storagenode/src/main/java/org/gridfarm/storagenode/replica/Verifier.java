package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.checksum.Blocks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Compares whole replicas with their sums, a few MiB at a time, so that others get their turn
 * between. Thread-safe.
 */
public final class Verifier {
    /** Blocks compared in one turn: 4 MiB. */
    private static final int TURN_BLOCKS = 64;

    /** What a turn counts for at least: a small file takes the disk's time as well. */
    private static final long TURN_BYTES_MIN = 64 << 10;

    /** Bad blocks that one verification names; after so many the replica needs no more proof. */
    private static final int BAD_BLOCKS_MAX = 100;

    /** Says when it goes on after so many bytes were read. */
    @FunctionalInterface
    public interface Pace {
        CompletableFuture<?> take(long bytes);
    }

    public static final Pace UNTHROTTLED = _ -> CompletableFuture.completedFuture(true);

    /**
     * @param badBlocks numbers of blocks that differ; empty for a good replica
     */
    public record Result(long size, byte[] digest, List<Long> badBlocks) {}

    private final ReplicaStore store;

    public Verifier(ReplicaStore store) {
        this.store = store;
    }

    /**
     * Fails with OBJECT_ABSENT or CORRUPT when there is nothing that could be compared. A replica
     * with bad blocks goes to quarantine.
     */
    public CompletableFuture<Result> verify(ObjectKey key, Pace pace) {
        return turn(key, 0, pace, new ArrayList<>());
    }

    private CompletableFuture<Result> turn(ObjectKey key, long block, Pace pace, List<Long> bad) {
        return store.read(
                        key,
                        replica -> {
                            long end = block + TURN_BLOCKS;
                            collect(replica, block, end, bad);
                            boolean more = end < Blocks.count(replica.size());
                            long bytes =
                                    Math.min(Blocks.start(end), replica.size())
                                            - Blocks.start(block);
                            return new Turn(more && bad.size() < BAD_BLOCKS_MAX ? end : -1, bytes);
                        })
                .thenCompose(done ->
                        pace.take(Math.max(TURN_BYTES_MIN, done.bytes)).thenApply(_ -> done.next))
                .thenCompose(next -> next >= 0 ? turn(key, next, pace, bad) : end(key, bad));
    }

    /**
     * @param next the block to go on with, or -1
     * @param bytes that were compared
     */
    private record Turn(long next, long bytes) {}

    private static void collect(Replica replica, long from, long to, List<Long> bad)
            throws IOException {
        for (long block = from; block < to && bad.size() < BAD_BLOCKS_MAX; ) {
            long found = replica.firstBad(block, to);
            if (found < 0) {
                return;
            }
            bad.add(found);
            block = found + 1;
        }
    }

    private CompletableFuture<Result> end(ObjectKey key, List<Long> bad) {
        if (bad.isEmpty()) {
            return store.changeUnsettled(
                    key,
                    replica -> {
                        replica.wasVerified();
                        return new Result(replica.size(), replica.digest(), bad);
                    });
        }
        return store.read(key, replica -> new Result(replica.size(), new byte[0], bad))
                .thenApply(result -> {
                    store.condemn(key, bad.size() + " bad blocks, the first one " + bad.get(0));
                    return result;
                });
    }

    /** Takes the sums from the bytes as they are, after a local writer, from this block on. */
    public CompletableFuture<Boolean> sumAnew(ObjectKey key, long block) {
        return store.change(key, ReplicaStore.IfAbsent.FAIL, replica -> sumSome(replica, block))
                .thenCompose(next ->
                        next < 0 ? CompletableFuture.completedFuture(true) : sumAnew(key, next));
    }

    /** In a turn of the object: some blocks' sums. The next block, -1: that was all. */
    public static long sumSome(Replica replica, long block) throws IOException {
        long next = replica.rescan(block, Replica.ChangedBlocks.IGNORED);
        if (next < 0) {
            replica.checkpoint();
        }
        return next;
    }
}
