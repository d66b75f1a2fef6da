package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Rounds;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares whole replicas with their sums, a few MiB at a time, so that others get their turn
 * between. Thread-safe.
 */
public final class Verifier {
    /** Blocks of data compared in one turn: 4 MiB. */
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
     * @param digest beside a local writer that of before him
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
        List<Long> bad = new ArrayList<>();
        AtomicLong next = new AtomicLong();
        return summedBefore(key)
                .thenCompose(_ -> Rounds.of(() -> turn(key, next, pace, bad)))
                .thenCompose(_ -> end(key, bad));
    }

    /**
     * As {@link #verify}, with the digest of the bytes as they are. Who writes them behind our back
     * has no sums here; he may have closed the file, and his grant is on its way back, or he was
     * killed. BUSY when the file grows or shrinks meanwhile.
     */
    public CompletableFuture<Result> digest(ObjectKey key) {
        return store.read(key, Replica::hasLocalWriters)
                .thenCompose(beside -> beside ? digestOfBytes(key) : verify(key, UNTHROTTLED));
    }

    private CompletableFuture<Result> digestOfBytes(ObjectKey key) {
        return store.read(key, replica -> new ContentDigest(replica.size()))
                .thenCompose(digest -> {
                    AtomicLong next = new AtomicLong();
                    return Rounds.of(() ->
                                    store.read(
                                            key,
                                            replica -> {
                                                requireSize(replica, digest.size());
                                                next.set(replica.digest(next.get(), digest));
                                                return next.get() >= 0;
                                            }))
                            .thenApply(_ -> new Result(digest.size(), digest.value(), List.of()));
                });
    }

    private static void requireSize(Replica replica, long size) throws IOException {
        if (replica.size() != size) {
            throw new FarmException(
                    ErrorKind.BUSY,
                    "verify",
                    replica.key().toString(),
                    "a program on this node writes into it");
        }
    }

    /** What a local writer left changed has sums first: else its digest would be an old one. */
    private CompletableFuture<Boolean> summedBefore(ObjectKey key) {
        return store.read(key, Replica::isLeftChanged)
                .thenCompose(
                        left -> left ? sumAnew(key, 0) : CompletableFuture.completedFuture(false));
    }

    /** Some blocks from the next one on; false: those were the last. */
    private CompletableFuture<Boolean> turn(
            ObjectKey key, AtomicLong next, Pace pace, List<Long> bad) {
        return store.read(
                        key,
                        replica -> {
                            long block = next.get();
                            SummedData.Reach reach = replica.reach(block, TURN_BLOCKS);
                            collect(replica, block, reach.end(), bad);
                            next.set(reach.end());
                            boolean more = reach.end() < Blocks.count(replica.size());
                            return new Turn(
                                    more && bad.size() < BAD_BLOCKS_MAX,
                                    Math.min(Blocks.start(reach.blocks()), replica.size()));
                        })
                .thenCompose(done ->
                        pace.take(Math.max(TURN_BYTES_MIN, done.bytes)).thenApply(_ -> done.more));
    }

    /**
     * @param more blocks follow
     * @param bytes that were compared
     */
    private record Turn(boolean more, long bytes) {}

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
        AtomicLong next = new AtomicLong(block);
        return Rounds.of(() ->
                        store.change(
                                key,
                                ReplicaStore.IfAbsent.FAIL,
                                replica -> {
                                    next.set(sumSome(replica, next.get()));
                                    return next.get() >= 0;
                                }))
                .thenApply(_ -> true);
    }

    /** In a turn of the object: some blocks' sums. The next block, -1: that was all. */
    public static long sumSome(Replica replica, long block) throws IOException {
        long next = replica.rescan(block, ChangedBlocks.IGNORED);
        if (next < 0) {
            replica.checkpoint();
        }
        return next;
    }
}
