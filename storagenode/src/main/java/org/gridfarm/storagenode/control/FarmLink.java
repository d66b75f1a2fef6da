package org.gridfarm.storagenode.control;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.LeaderLine;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.HeartbeatReply;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.NodeAddresses;
import org.gridfarm.protocol.wire.RegisterNodeReply;
import org.gridfarm.protocol.wire.RegisterNodeRequest;
import org.gridfarm.protocol.wire.TicketKey;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.objects.FarmNodes;
import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The connection to the leading metaserver. Each new connection begins with REGISTER_NODE and, if
 * it is asked for, the inventory; a heartbeat follows every half second, whose answer renews the
 * lease. Thread-safe.
 */
public final class FarmLink implements AutoCloseable {
    static final Duration HEARTBEAT_EVERY = Duration.ofMillis(500);

    /** A heartbeat not answered by then renews nothing: the lease would be over. */
    private static final Duration HEARTBEAT_DEADLINE = Duration.ofMillis(1500);

    private static final Duration REGISTER_DEADLINE = Duration.ofSeconds(5);
    private static final Duration LEASE_DEFAULT = Duration.ofSeconds(2);
    private static final int CORRUPT_PER_HEARTBEAT_MAX = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(FarmLink.class);

    /** Told the scrub rate that the metaserver wishes, bytes per second. */
    public interface ScrubRate {
        void rate(long bytesPerSecond);
    }

    private final NodeFacts facts;
    private final ReplicaStore store;
    private final TicketGate gate;
    private final Findings findings;
    private final NodeCounters counters;
    private final Clock clock;
    private final LeaseClock lease;
    private final FarmNodes nodes;
    private final LeaderLine line;
    private final InventoryReport report;
    private final ScrubRate scrubRate;
    private final AtomicReference<@Nullable Peer> registered = new AtomicReference<>();
    private volatile int disksToldLost;
    private volatile boolean closed;
    private volatile @Nullable FarmException refusal;

    /**
     * @param background runs the inventory; one thread
     */
    public FarmLink(
            NodeFacts facts,
            List<HostPort> metaservers,
            Dialer dialer,
            ReplicaStore store,
            TicketGate gate,
            Findings findings,
            NodeCounters counters,
            LeaseClock lease,
            FarmNodes nodes,
            Executor background,
            ScrubRate scrubRate,
            Clock clock,
            Entropy entropy) {
        this.facts = facts;
        this.store = store;
        this.gate = gate;
        this.findings = findings;
        this.counters = counters;
        this.clock = clock;
        this.scrubRate = scrubRate;
        this.lease = lease;
        this.nodes = nodes;
        this.report = new InventoryReport(facts, store, background);
        this.line = new LeaderLine(dialer, metaservers, this::register, clock, entropy);
    }

    /** Goes on for ever: registers wherever the leader is. */
    public void start() {
        line.keepUp();
        beat();
    }

    /** Registered, and the lease holds. */
    public boolean isReady() {
        return lease.isHeld();
    }

    /** Why the farm does not want this node, if it said so. */
    public @Nullable FarmException refusal() {
        return refusal;
    }

    private CompletionStage<?> register(Peer peer) {
        long sent = clock.nanoTime();
        int lost = findings.disksLost();
        RegisterNodeRequest request =
                RegisterNodeRequest.newBuilder()
                        .setName(facts.name())
                        .setAddress(facts.address())
                        .setRack(facts.rack())
                        .setGroup(facts.group())
                        .setSlots(facts.slots())
                        .setMount(facts.mount())
                        .setHost(facts.host())
                        .setIncarnation(facts.incarnation())
                        .setHoldingChanged(lost != disksToldLost)
                        .setAddressesKnown(nodes.version())
                        .build();
        return peer.callPlain(MetadataMethods.REGISTER_NODE, request, REGISTER_DEADLINE)
                .thenApplyAsync(
                        reply -> {
                            bind(reply);
                            keys(reply.getKeysList());
                            addresses(reply.hasAddresses(), reply.getAddresses(), sent);
                            lease.renewed(sent, lease(reply.getLeaseMillis()));
                            registered.set(peer);
                            refusal = null;
                            disksToldLost = lost;
                            if (reply.getScrubBytesPerSecond() > 0) {
                                scrubRate.rate(reply.getScrubBytesPerSecond());
                            }
                            if (reply.getWantInventory()) {
                                report.start(peer);
                            }
                            LOG.info(
                                    "registered as {} at the metaserver {}",
                                    facts.name(),
                                    peer.address());
                            return reply;
                        },
                        store.io());
    }

    private void bind(RegisterNodeReply reply) {
        if (reply.getInstance() == 0) {
            return;
        }
        try {
            for (DataDirectory disk : store.disks()) {
                if (!disk.isFailed()) {
                    disk.belongsTo(reply.getInstance());
                }
            }
        } catch (FarmException e) {
            refusal = e;
            LOG.error("{}", e.getMessage());
            throw e;
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static Duration lease(int millis) {
        return millis == 0 ? LEASE_DEFAULT : Duration.ofMillis(millis);
    }

    private void keys(List<TicketKey> keys) {
        if (!keys.isEmpty()) {
            gate.keys(
                    keys.stream()
                            .map(key ->
                                    new org.gridfarm.protocol.auth.ticket.TicketKey(
                                            key.getEpoch(), key.getKey().toByteArray()))
                            .toList());
        }
    }

    private void beat() {
        if (closed) {
            return;
        }
        clock.after(
                HEARTBEAT_EVERY,
                () -> {
                    if (!closed) {
                        store.io().execute(this::beatNow);
                    }
                });
    }

    private void beatNow() {
        Peer peer = registered.get();
        if (closed || peer == null || !peer.isOpen()) {
            beat();
            return;
        }
        long sent = clock.nanoTime();
        List<ObjectKey> corrupt = findings.corrupt(CORRUPT_PER_HEARTBEAT_MAX);
        peer.callPlain(MetadataMethods.HEARTBEAT, heartbeat(corrupt), HEARTBEAT_DEADLINE)
                .whenComplete((reply, failure) -> {
                    if (reply != null) {
                        findings.told(corrupt);
                        renewed(peer, reply, sent);
                    } else {
                        failed(peer, failure);
                    }
                    beat();
                });
    }

    private void renewed(Peer peer, HeartbeatReply reply, long sent) {
        keys(reply.getKeysList());
        if (reply.getRegisterAgain() || findings.disksLost() != disksToldLost) {
            CompletableFuture<?> again = register(peer).toCompletableFuture();
            again.whenComplete((_, failure) -> {
                if (failure != null) {
                    failed(peer, failure);
                }
            });
        } else {
            addresses(reply.hasAddresses(), reply.getAddresses(), sent);
            lease.renewed(sent, lease(reply.getLeaseMillis()));
        }
    }

    private void addresses(boolean changed, NodeAddresses now, long sent) {
        if (changed) {
            nodes.told(now);
        }
        nodes.upToDate(sent);
    }

    /** Whoever answers so is not our leader any more: the line looks for another. */
    private void failed(Peer peer, Throwable thrown) {
        FarmException failure = FarmException.of(thrown, "heartbeat", peer.address());
        LOG.warn("{}", failure.getMessage());
        switch (failure.kind()) {
            case TIMED_OUT,
                    OVERLOADED -> {} // it may be slow; a dead connection is found by its silence
            default -> {
                registered.compareAndSet(peer, null);
                peer.close();
            }
        }
    }

    private HeartbeatRequest heartbeat(List<ObjectKey> corrupt) {
        long capacity = 0;
        long available = 0;
        for (DataDirectory disk : store.disks()) {
            capacity += disk.capacity();
            available += disk.available();
        }
        HeartbeatRequest.Builder request =
                HeartbeatRequest.newBuilder()
                        .setName(facts.name())
                        .setIncarnation(facts.incarnation())
                        .setCapacity(capacity)
                        .setAvailable(available)
                        .setUsed(Math.max(0, capacity - available))
                        .setLoad(
                                Math.max(
                                        0,
                                        ManagementFactory.getOperatingSystemMXBean()
                                                .getSystemLoadAverage()))
                        .setReadBytes(counters.readBytes.sum())
                        .setWrittenBytes(counters.writtenBytes.sum())
                        .setObjects(report.objects())
                        .setBadBlocks(counters.badBlocks.sum())
                        .setAddressesKnown(nodes.version());
        corrupt.forEach(key -> request.addCorrupt(key.id()));
        return request.build();
    }

    @Override
    public void close() {
        closed = true;
        line.close();
    }
}
