package org.gridfarm.metaserver.sim;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.ServerInSimulation;
import org.gridfarm.metaserver.server.state.MetadataCalls;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.CacheLeaseReply;
import org.gridfarm.protocol.wire.CommitBatch;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.FollowReply;
import org.gridfarm.protocol.wire.GetAttributesReply;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.PrepareBatch;
import org.gridfarm.protocol.wire.PrepareReply;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;

/**
 * Where requests come into one life of a server: here faults are planted in what it hears and says.
 */
final class Door {
    /** Longer than any round of a server's events, shorter than any commit's trips. */
    private static final long AT_ONCE = 150_000;

    private static final long LATE = 15_000_000;
    private static final int LEASE_FACTOR = 1000;

    private final World world;
    private final Process process;
    private final Deque<Runnable> stream = new ArrayDeque<>();
    private final TreeMap<Long, Exchange<PrepareBatch, PrepareReply>> kept = new TreeMap<>();
    private boolean streamWaits;
    private @Nullable ServerInSimulation behind;

    Door(World world, Process process) {
        this.world = world;
        this.process = process;
    }

    void leadsTo(ServerInSimulation server) {
        behind = server;
    }

    private ServerInSimulation server() {
        ServerInSimulation server = behind;
        if (server == null) throw new IllegalStateException("no server yet");
        return server;
    }

    /** What others who dialled may call. */
    Services accepted() {
        Services.Builder services = Services.builder();
        for (Method<?, ?> method : MetadataCalls.ALL) register(services, method);
        return services.build();
    }

    private <Q extends MessageLite, R extends MessageLite> void register(
            Services.Builder services, Method<Q, R> method) {
        services.on(method, exchange -> server().submit(seen(exchange)));
    }

    /** What the leader that was dialled pushes. */
    Services pushed() {
        return Services.builder()
                .on(MetadataMethods.PREPARE, this::prepare)
                .on(MetadataMethods.COMMIT, this::commit)
                .build();
    }

    // ---- what the server says

    private <Q extends MessageLite, R extends MessageLite> Exchange<Q, R> seen(
            Exchange<Q, R> exchange) {
        long came = world.now();
        return switch (world.plant) {
            case CACHE_LEASE_NOT_WATCHED -> new Tampered<>(exchange, Door::longer);
            case GRANTED_WHILE_PENDING ->
                    server().role().equals("cache")
                            ? new Tampered<>(
                                    exchange,
                                    reply -> world.now() - came > AT_ONCE ? kept(reply) : reply)
                            : exchange;
            default -> exchange;
        };
    }

    private static MessageLite longer(MessageLite reply) {
        return switch (reply) {
            case FollowReply follow ->
                    follow.toBuilder()
                            .setLeaseMillis(follow.getLeaseMillis() * LEASE_FACTOR)
                            .build();
            case CacheLeaseReply lease ->
                    lease.toBuilder().setLeaseMillis(lease.getLeaseMillis() * LEASE_FACTOR).build();
            default -> reply;
        };
    }

    private static MessageLite kept(MessageLite reply) {
        return switch (reply) {
            case LookupReply lookup -> lookup.toBuilder().setEntryCacheable(true).build();
            case GetAttributesReply found -> found.toBuilder().setCacheable(true).build();
            default -> reply;
        };
    }

    // ---- what the server hears of its leader

    private void prepare(Exchange<PrepareBatch, PrepareReply> exchange) {
        long sequence = exchange.request().getBatch().getSequence();
        switch (world.plant) {
            case MARKED_BEFORE_RECALLS -> {
                mark(exchange, sequence);
                server().submit(Tampered.unanswered(exchange));
            }
            case PREPARE_SKIPPED -> {
                mark(exchange, sequence);
                kept.put(sequence, Tampered.unanswered(exchange));
            }
            case ANSWERED_BEFORE_MARKS -> {
                mark(exchange, sequence);
                Exchange<PrepareBatch, PrepareReply> silent = Tampered.unanswered(exchange);
                process.after(LATE, () -> server().submit(silent));
            }
            case RESUMED_TOO_EARLY -> whenServing(() -> server().submit(exchange));
            default -> server().submit(exchange);
        }
    }

    private static void mark(Exchange<PrepareBatch, PrepareReply> exchange, long sequence) {
        exchange.reply(PrepareReply.newBuilder().setSequence(sequence).build());
    }

    private void commit(Exchange<CommitBatch, Empty> exchange) {
        switch (world.plant) {
            case PREPARE_SKIPPED -> {
                var due = kept.headMap(exchange.request().getSequence(), true);
                due.values().forEach(server()::submit);
                due.clear();
                server().submit(exchange);
            }
            case ANSWERED_BEFORE_MARKS -> process.after(LATE, () -> server().submit(exchange));
            case RESUMED_TOO_EARLY -> whenServing(() -> server().submit(exchange));
            default -> server().submit(exchange);
        }
    }

    /** In order, and a little after the answer that lets it serve. */
    private void whenServing(Runnable action) {
        if (!streamWaits && server().isReady()) {
            action.run();
            return;
        }
        stream.add(action);
        if (!streamWaits) {
            streamWaits = true;
            process.after(LATE, this::lookAgain);
        }
    }

    private void lookAgain() {
        streamWaits = false;
        while (!stream.isEmpty()) stream.remove().run();
    }
}
