package org.gridfarm.client.core.transfer.chain;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.ReadObjectReply;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Reads a run of bytes of one object: the nearest good replica first, another at once when it
 * fails, another beside it when it is slow.
 */
public final class ReplicaReader {
    private static final Logger log = LoggerFactory.getLogger(ReplicaReader.class);

    private final Nodes nodes;
    private final Clock clock;
    private final String attached;

    public ReplicaReader(Nodes nodes, Clock clock, String attached) {
        this.nodes = nodes;
        this.clock = clock;
        this.attached = attached;
    }

    /**
     * @param headOnly only the first replica is up to date
     * @param expectAll every byte must be there (the length lies within the file): a replica that
     *     has fewer is not good
     * @param mayBeAbsent nothing may have been written yet: reads as empty
     * @param sums of the content that it must be; null: the node's own word counts
     * @param mayBeOther another client may have changed the content since, which is then what the
     *     node says that it is
     */
    public record Run(
            ObjectLocation location,
            long offset,
            int length,
            boolean headOnly,
            boolean expectAll,
            boolean mayBeAbsent,
            @Nullable KnownSums sums,
            BooleanSupplier mayBeOther) {
        /** Blocks are judged as a whole. */
        long from() {
            return sums == null ? offset : Blocks.start(Blocks.of(offset));
        }

        long to() {
            long end = offset + length;
            return sums == null || length == 0 ? end : Blocks.start(Blocks.of(end - 1) + 1);
        }
    }

    /** Where the object lies as the metaserver says now. */
    public interface Newest {
        CompletableFuture<ObjectLocation> ask();
    }

    /**
     * The bytes, fewer at the object's end; the caller's to release.
     *
     * @param newest asked when all replicas that are known are slow: others may have come since
     */
    public CompletableFuture<ByteBuf> read(Run run, Duration deadline, Newest newest) {
        List<Replica> order = order(run);
        if (order.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new FarmException(
                            ErrorKind.DATA_UNAVAILABLE, "read", "", "no node that holds it is up"));
        }
        return new Race(run, order, newest, clock.nanoTime() + deadline.toNanos()).start();
    }

    private List<Replica> order(Run run) {
        List<Replica> order = new ArrayList<>();
        List<Replica> all = Chain.holders(run.location());
        if (run.headOnly()) {
            return all.isEmpty() ? all : all.subList(0, 1);
        }
        all.stream()
                .filter(replica -> replica.getLive() && replica.getNode().equals(attached))
                .forEach(order::add);
        all.stream()
                .filter(replica ->
                        replica.getLive()
                                && !nodes.suspect(replica.getNode())
                                && !order.contains(replica))
                .forEach(order::add);
        all.stream()
                .filter(replica -> !replica.getAddress().isEmpty() && !order.contains(replica))
                .forEach(order::add);
        return order;
    }

    /** Attempts at several replicas; the first good answer wins. */
    private final class Race {
        private final Run run;
        private final Newest newest;
        private final long deadlineAt;
        private final CompletableFuture<ByteBuf> result = new CompletableFuture<>();

        @GuardedBy("this")
        private final List<Replica> order;

        @GuardedBy("this")
        private int next;

        @GuardedBy("this")
        private int running;

        @GuardedBy("this")
        private @Nullable FarmException worst;

        @GuardedBy("this")
        private boolean askedForOthers;

        Race(Run run, List<Replica> order, Newest newest, long deadlineAt) {
            this.run = run;
            this.order = order;
            this.newest = newest;
            this.deadlineAt = deadlineAt;
        }

        CompletableFuture<ByteBuf> start() {
            tryNext();
            return result;
        }

        private void tryNext() {
            @Nullable Replica replica;
            boolean seeksOthers;
            synchronized (this) {
                if (result.isDone()) {
                    return;
                }
                replica = next == order.size() ? null : order.get(next++);
                running += replica == null ? 0 : 1;
                seeksOthers = replica == null && !run.headOnly() && !askedForOthers;
                askedForOthers |= seeksOthers;
            }
            if (replica != null) {
                attempt(replica);
            } else if (seeksOthers) {
                seekOthers();
            }
        }

        private void seekOthers() {
            newest.ask()
                    .whenComplete((location, thrown) -> {
                        if (thrown != null) {
                            log.debug("no other replica is known: {}", thrown.getMessage());
                            return; // those that are asked go on
                        }
                        if (!location.getObject().equals(run.location().getObject())) {
                            return;
                        }
                        add(Chain.holders(location));
                        tryNext();
                    });
        }

        private synchronized void add(List<Replica> newest) {
            Set<String> known = new HashSet<>();
            for (Replica replica : order) {
                known.add(replica.getNode());
            }
            for (Replica replica : newest) {
                if (known.add(replica.getNode())) {
                    order.add(replica);
                }
            }
        }

        private void attempt(Replica replica) {
            long left = deadlineAt - clock.nanoTime();
            Clock.Timer hedge =
                    clock.after(
                            TransferLimits.HEDGE_AFTER,
                            () -> {
                                nodes.failed(replica.getNode()); // slow: asked last from now on
                                tryNext();
                            });
            asked(replica, Duration.ofNanos(Math.max(1, left)))
                    .whenComplete((bytes, thrown) -> {
                        hedge.cancel();
                        if (thrown == null) {
                            nodes.answered(replica.getNode());
                            if (!result.complete(bytes)) {
                                bytes.release();
                            }
                        } else {
                            lost(replica, FarmException.of(thrown, "read", replica.getNode()));
                        }
                    });
        }

        private void lost(Replica replica, FarmException failure) {
            boolean over;
            FarmException told;
            synchronized (this) {
                running--;
                // What a caller can act upon (a new ticket) is worth more than what it cannot.
                if (worst == null || Nodes.isFineDespite(failure)) {
                    worst = failure;
                }
                told = worst;
                over = running == 0 && next == order.size();
            }
            if (!Nodes.isFineDespite(failure)) {
                nodes.failed(replica.getNode());
            }
            if (over) {
                result.completeExceptionally(told);
            } else {
                tryNext();
            }
        }

        private CompletableFuture<ByteBuf> asked(Replica replica, Duration deadline) {
            ReadObjectRequest request =
                    ReadObjectRequest.newBuilder()
                            .setObject(run.location().getObject())
                            .setTicket(replica.getTicket())
                            .setOffset(run.from())
                            .setLength((int) (run.to() - run.from()))
                            .setMayBeAbsent(run.mayBeAbsent())
                            .build();
            return nodes.connect(replica)
                    .thenCompose(peer -> {
                        CompletableFuture<ByteBuf> bytes =
                                peer.call(StorageMethods.READ, request, null, deadline)
                                        .thenApply(answer -> checked(answer, replica));
                        KnownSums sums = run.sums();
                        return sums == null
                                ? bytes
                                : judged(bytes, sums.from(peer, replica, deadline), replica);
                    });
        }

        /** Both are asked for at once. */
        private CompletableFuture<ByteBuf> judged(
                CompletableFuture<ByteBuf> bytes,
                CompletableFuture<KnownSums> known,
                Replica replica) {
            return known.handle((sums, thrown) -> thrown)
                    .thenCompose(unknown ->
                            bytes.thenApply(buffer -> {
                                try {
                                    if (!run.mayBeOther().getAsBoolean()) {
                                        if (unknown != null) {
                                            throw FarmException.of(
                                                    unknown, "read", replica.getNode());
                                        }
                                        known.join().require(buffer, run.from(), replica);
                                    }
                                    return wanted(buffer);
                                } catch (FarmException e) {
                                    buffer.release();
                                    if (e.kind() == ErrorKind.CORRUPT) {
                                        log.warn(
                                                "not taken from {}: {}",
                                                replica.getNode(),
                                                e.detail());
                                    }
                                    throw e;
                                }
                            }));
        }

        /** Of whole blocks what was asked for. */
        private ByteBuf wanted(ByteBuf blocks) {
            int skip = (int) (run.offset() - run.from());
            int there = Math.max(0, Math.min(run.length(), blocks.readableBytes() - skip));
            if (run.expectAll() && there < run.length()) {
                throw new FarmException(
                        ErrorKind.CORRUPT,
                        "read",
                        "",
                        "got " + there + " bytes of " + run.length());
            }
            int at = blocks.readerIndex() + Math.min(skip, blocks.readableBytes());
            return blocks.setIndex(at, at + there);
        }

        private ByteBuf checked(Answer<ReadObjectReply> answer, Replica replica) {
            ByteBuf payload = answer.payload();
            int length = payload.readableBytes();
            boolean damaged =
                    length > 0 && Blocks.crc(payload.nioBuffers()) != answer.message().getCrc32C();
            long most = run.to() - run.from();
            long least = run.expectAll() ? run.offset() + run.length() - run.from() : 0;
            if (damaged || length > most || length < least) {
                payload.release();
                throw new FarmException(
                        ErrorKind.CORRUPT,
                        "read",
                        replica.getNode(),
                        damaged
                                ? "checksum of the answer"
                                : "got " + length + " bytes of " + least);
            }
            return length == 0 ? release(payload) : payload;
        }

        private ByteBuf release(ByteBuf payload) {
            payload.release();
            return Unpooled.EMPTY_BUFFER;
        }
    }
}
