package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HeapWatch;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerThreads;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.metaserver.session.Accounts;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.observe.SlowRequests;
import org.gridfarm.protocol.rpc.ConnectionListener;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.HostPort;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** A whole metaserver, wired as its daemon does it, to what a simulation gives it. */
public final class ServerInSimulation {
    private static final long REPAIR_AFTER = Duration.ofSeconds(30).toNanos();

    private final MetaServer server;

    /** Faults in what a leader begins with, which nothing outside could plant. */
    public enum Beginning {
        AS_IT_IS,
        /** As if no lease of an earlier leader could still stand. */
        NOT_HELD,
        /** As if everything that is durable had been completed. */
        NOT_DOUBTED
    }

    public ServerInSimulation(
            HostPort address,
            String name,
            JournalStore store,
            Cluster cluster,
            Dialer dialer,
            ServerThreads threads,
            Executor blocking,
            Entropy entropy,
            ClientLimits limits,
            Beginning beginning) {
        Clock clock = threads.clock();
        HeapWatch heap = new HeapWatch(100, clock);
        ServerIdentity identity =
                new ServerIdentity(
                        name,
                        address.toString(),
                        new Accounts(Map.of(), clock),
                        blocking,
                        new SlowRequests(Duration.ofSeconds(10)));
        server =
                new MetaServer(
                        identity,
                        store,
                        cluster,
                        new MetaServer.StateFactory() {
                            @Override
                            public FarmState empty() {
                                return new FarmState(clock, entropy, REPAIR_AFTER);
                            }

                            @Override
                            public TicketMaker tickets(FarmState state) {
                                return new TicketMaker(state, clock);
                            }

                            @Override
                            public RepairLimits repair() {
                                return RepairLimits.USUAL;
                            }

                            @Override
                            public Bounds bounds() {
                                return new Bounds(limits, heap);
                            }
                        },
                        heap,
                        dialer::dial,
                        threads);
        server.beginsWith(start -> tampered(start, beginning));
    }

    private static Promotion.Start tampered(Promotion.Start start, Beginning beginning) {
        return switch (beginning) {
            case AS_IT_IS -> start;
            case NOT_HELD ->
                    new Promotion.Start(
                            start.claimedAt(),
                            start.claim(),
                            start.sequence(),
                            start.applied(),
                            Duration.ZERO,
                            start.doubtful());
            case NOT_DOUBTED ->
                    new Promotion.Start(
                            start.claimedAt(),
                            start.claim(),
                            start.sequence(),
                            start.applied(),
                            start.leasesLeft(),
                            List.of());
        };
    }

    public void start() {
        server.start(true);
    }

    public <Q extends MessageLite, R extends MessageLite> void submit(Exchange<Q, R> exchange) {
        server.submit(exchange);
    }

    public ConnectionListener connections() {
        return server.connections();
    }

    public boolean isReady() {
        return server.isReady();
    }

    /** {@code leader}, {@code cache} or {@code starting}. */
    public String role() {
        return server.role();
    }
}
