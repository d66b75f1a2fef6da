package org.gridfarm.storagenode.objects;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.replica.ChangedBlocks;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Sends down the chain what the rest of it may lack: what a local writer changed in the plain file,
 * that is the blocks whose checksum differs from the kept one, or everything for a member that
 * joins; then the size. One MiB of file is looked at in one turn of the object, between writes, and
 * is acknowledged before the next but one is looked at. Holes are passed over.
 */
final class LocalShipping {
    /** One call ships so long; then the client asks for the rest, and so knows that it goes on. */
    private static final Duration CALL_MAX = Duration.ofSeconds(1);

    /** What one turn looks at. */
    private static final int RUN_BYTES = 1 << 20;

    private final ReplicaStore store;
    private final ForwardQueues queues;
    private final Forwards forwards;
    private final Clock clock;

    LocalShipping(ReplicaStore store, ForwardQueues queues, Forwards forwards, Clock clock) {
        this.clock = clock;
        this.store = store;
        this.queues = queues;
        this.forwards = forwards;
    }

    /**
     * What came of one call.
     *
     * @param next the block to go on from in another call; -1: everything is shipped
     */
    record Shipped(List<MemberFailure> failures, long next) {}

    /**
     * Ships what must be shipped before this sync, as much as fits into one call.
     *
     * @param before what an earlier turn has sent
     */
    CompletableFuture<Shipped> ship(
            ObjectKey key,
            SyncObjectRequest request,
            List<CompletableFuture<ChainOutcome>> before) {
        List<MemberFailure> failures = new ArrayList<>();
        CompletableFuture<Void> sent = noted(before, failures);
        Replica open = store.peek(key);
        boolean changed = open != null && open.isLocallyChanged();
        if (!isWanted(request, changed)) {
            return sent.thenApply(_ -> new Shipped(failures, -1));
        }
        return next(
                key, request, from(request), failures, clock.nanoTime() + CALL_MAX.toNanos(), sent);
    }

    /** Of what was written locally: the object is nowhere else, and no digest is asked for. */
    static boolean sumsCanWait(SyncObjectRequest request) {
        return request.getChain().getRestCount() == 0 && !request.getDigest();
    }

    private static boolean isWanted(SyncObjectRequest request, boolean changed) {
        return !sumsCanWait(request)
                && (changed || request.getShip().getAll() || request.hasFill());
    }

    private static long from(SyncObjectRequest request) {
        return request.hasFill()
                ? request.getFill().getFromBlock()
                : request.getShip().getFromBlock();
    }

    /**
     * What one turn has sent.
     *
     * @param next the block to go on from; -1: that was all
     */
    record Turn(long next, List<CompletableFuture<ChainOutcome>> sent) {}

    /** In a turn of the object: ships what was written locally, as much as fits into the turn. */
    Turn first(Replica replica, SyncObjectRequest request) throws IOException {
        return isWanted(request, replica.isLocallyChanged())
                ? turn(replica, request, from(request))
                : new Turn(-1, List.of());
    }

    /** What of this failed, when all of it is answered. */
    static CompletableFuture<List<MemberFailure>> failures(
            List<CompletableFuture<ChainOutcome>> sent) {
        List<MemberFailure> failures = new ArrayList<>();
        return noted(sent, failures).thenApply(_ -> failures);
    }

    /** Looks at one more MiB while the one before is on its way. */
    private CompletableFuture<Shipped> next(
            ObjectKey key,
            SyncObjectRequest request,
            long block,
            List<MemberFailure> failures,
            long until,
            CompletableFuture<?> before) {
        return store.change(
                        key, ReplicaStore.IfAbsent.FAIL, replica -> turn(replica, request, block))
                .thenCompose(turn ->
                        before.thenCompose(_ -> {
                            CompletableFuture<?> sent = noted(turn.sent, failures);
                            if (turn.next >= 0 && clock.nanoTime() < until) {
                                return next(key, request, turn.next, failures, until, sent);
                            }
                            return sent.thenApply(_ -> new Shipped(failures, turn.next));
                        }));
    }

    private static CompletableFuture<Void> noted(
            List<CompletableFuture<ChainOutcome>> sent, List<MemberFailure> failures) {
        return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
                .thenRun(() -> {
                    synchronized (failures) {
                        sent.forEach(done -> failures.addAll(done.join().getFailuresList()));
                    }
                });
    }

    private Turn turn(Replica replica, SyncObjectRequest request, long block) throws IOException {
        if (request.getShip().getAll() && block == 0) {
            replica.forgetSums();
        }
        List<CompletableFuture<ChainOutcome>> sent = new ArrayList<>();
        boolean alone = request.getChain().getRestCount() == 0;
        long next;
        if (alone) {
            next = replica.rescan(block, ChangedBlocks.IGNORED);
        } else {
            ForwardQueue.requireShort(request.getChain().getRestList());
            try (Runs runs = new Runs(shipping(request), queues.of(replica.key()), sent)) {
                next = request.hasFill() ? replica.show(block, runs) : replica.rescan(block, runs);
            }
        }
        if (next < 0 && !alone) {
            TruncateObjectRequest size =
                    TruncateObjectRequest.newBuilder()
                            .setChain(shipping(request))
                            .setSize(replica.size())
                            .build();
            sent.add(
                    queues.of(replica.key())
                            .send(size.getChain().getRestList(), forwards.truncate(size)));
        }
        return new Turn(next, sent);
    }

    private CompletableFuture<ChainOutcome> punch(
            ChainHeader chain, ForwardQueue queue, long offset, long length) {
        AllocateObjectRequest hole =
                AllocateObjectRequest.newBuilder()
                        .setChain(chain)
                        .setOffset(offset)
                        .setLength(length)
                        .setPunchHole(true)
                        .build();
        return queue.send(chain.getRestList(), forwards.allocate(hole));
    }

    /** The buffer is taken over. */
    private CompletableFuture<ChainOutcome> send(
            ChainHeader chain, ForwardQueue queue, long offset, ByteBuf bytes) {
        WriteObjectRequest write =
                WriteObjectRequest.newBuilder()
                        .setChain(chain)
                        .setCrc32C(Payload.crc(bytes))
                        .build();
        return queue.send(chain.getRestList(), forwards.write(write, offset, bytes))
                .whenComplete((_, _) -> bytes.release());
    }

    /** Sends blocks that follow each other as one write, at close at the latest. */
    private final class Runs implements ChangedBlocks, AutoCloseable {
        private final ChainHeader chain;
        private final ForwardQueue queue;
        private final List<CompletableFuture<ChainOutcome>> sent;
        private @Nullable ByteBuf run;
        private long start;

        Runs(ChainHeader chain, ForwardQueue queue, List<CompletableFuture<ChainOutcome>> sent) {
            this.chain = chain;
            this.queue = queue;
            this.sent = sent;
        }

        @Override
        public void changed(long offset, ByteBuffer content) {
            if (run != null && offset != start + run.readableBytes()) {
                close();
            }
            if (run == null) {
                run = Buffers.POOL.directBuffer(RUN_BYTES);
                start = offset;
            }
            run.writeBytes(content);
        }

        @Override
        public void zeroed(long offset, long length) {
            close();
            sent.add(punch(chain, queue, offset, length));
        }

        @Override
        public void close() {
            ByteBuf ready = run;
            run = null;
            if (ready != null) {
                sent.add(send(chain, queue, start, ready));
            }
        }
    }

    /** A member that lacks the object must not get the changed blocks alone. */
    private static ChainHeader shipping(SyncObjectRequest request) {
        ChainHeader chain = request.getChain();
        return chain.toBuilder().setCreate(chain.getCreate() || request.getShip().getAll()).build();
    }

    /** Each failed member once. */
    ChainOutcome withFailures(ChainOutcome outcome, List<MemberFailure> earlier) {
        if (earlier.isEmpty()) {
            return outcome;
        }
        Map<String, MemberFailure> byNode = new LinkedHashMap<>();
        earlier.forEach(failure -> byNode.putIfAbsent(failure.getNode(), failure));
        outcome.getFailuresList()
                .forEach(failure -> byNode.putIfAbsent(failure.getNode(), failure));
        return outcome.toBuilder().clearFailures().addAllFailures(byNode.values()).build();
    }
}
