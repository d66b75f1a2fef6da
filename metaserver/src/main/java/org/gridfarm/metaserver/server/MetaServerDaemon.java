package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HeapWatch;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerThreads;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.metaserver.session.Accounts;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.observe.RpcMeters;
import org.gridfarm.protocol.observe.RunFile;
import org.gridfarm.protocol.observe.SlowRequests;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A metaserver with everything around it: connections, metrics, the run file. */
public final class MetaServerDaemon implements AutoCloseable {
    private final Loops loops;
    private final ExecutorService blocking;
    private final MetaServer server;
    private final RpcServer rpc;
    private final HttpEndpoint http;
    private final Metrics metrics;
    private final @Nullable RunFile runFile;

    private MetaServerDaemon(
            Loops loops,
            ExecutorService blocking,
            MetaServer server,
            RpcServer rpc,
            HttpEndpoint http,
            Metrics metrics,
            @Nullable RunFile runFile) {
        this.loops = loops;
        this.blocking = blocking;
        this.server = server;
        this.rpc = rpc;
        this.http = http;
        this.metrics = metrics;
        this.runFile = runFile;
    }

    /** Binds, joins the cluster, and serves until closed. */
    public static MetaServerDaemon start(
            MetaServerSettings settings,
            Loops loops,
            ChannelSecurity security,
            JournalStore store,
            Cluster cluster) {
        DaemonSettings daemon = settings.daemon();
        Clock clock = Clock.system();
        Metrics metrics = new Metrics("metaserver", daemon.name());
        SlowRequests slow = new SlowRequests(daemon.slowRequest());
        RpcMeters meters = new RpcMeters(metrics.registry(), slow);
        ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
        Deferred deferred = new Deferred();
        RpcServer rpc =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                        daemon.listen(),
                                        "metaserver " + daemon.name(),
                                        security,
                                        deferred.services(meters.traffic()))
                                .withListener(deferred.connections())
                                .withObserver(meters));
        HostPort told = daemon.advertised(rpc.address());
        ServerIdentity identity =
                new ServerIdentity(
                        daemon.name(),
                        told.toString(),
                        new Accounts(settings.accounts(), clock),
                        blocking,
                        slow);
        HeapWatch heap = new HeapWatch(settings.limits().heapPercent(), clock);
        MetaServer.StateFactory states =
                new MetaServer.StateFactory() {
                    @Override
                    public FarmState empty() {
                        return new FarmState(
                                clock, Entropy.system(), settings.repairAfter().toNanos());
                    }

                    @Override
                    public TicketMaker tickets(FarmState state) {
                        return new TicketMaker(state, clock);
                    }

                    @Override
                    public RepairLimits repair() {
                        return settings.repair();
                    }

                    @Override
                    public Bounds bounds() {
                        return new Bounds(settings.limits(), heap);
                    }
                };
        RpcClient[] client = new RpcClient[1];
        MetaServer server =
                new MetaServer(
                        identity,
                        store,
                        cluster,
                        states,
                        heap,
                        address -> client[0].dial(address),
                        ServerThreads.of(clock));
        client[0] =
                new RpcClient(
                        loops,
                        security,
                        ExpectedServer.metaserver(),
                        server.pushed(),
                        KeepAlive.DEFAULT,
                        meters);
        deferred.open(server);
        Health health = new Health();
        health.check(
                "serving",
                Health.Meaning.READINESS,
                () ->
                        server.isReady()
                                ? Optional.empty()
                                : Optional.of("as " + server.role() + ", not in step yet"));
        health.check("memory", Health.Meaning.ATTENTION, heap::problem);
        HttpEndpoint http = HttpEndpoint.bind(loops, daemon.http(), metrics, health);
        MetaServerMeters.register(metrics.registry(), server);
        server.start(settings.candidate());
        RunFile runFile =
                daemon.runFile()
                        .map(file -> RunFile.write(file, rpc.address(), http.address()))
                        .orElse(null);
        return new MetaServerDaemon(loops, blocking, server, rpc, http, metrics, runFile);
    }

    public HostPort address() {
        return rpc.address();
    }

    public MetaServer server() {
        return server;
    }

    @Override
    public void close() {
        server.close();
        rpc.close();
        http.close();
        blocking.shutdownNow();
        loops.close();
        metrics.close();
        if (runFile != null) runFile.close();
    }
}
