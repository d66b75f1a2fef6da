package org.gridfarm.storagenode;

import com.sun.management.UnixOperatingSystemMXBean;

import org.gridfarm.protocol.api.DaemonMethods;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.observe.RpcMeters;
import org.gridfarm.protocol.observe.SlowRequests;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ConnectionListener;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.storagenode.control.Commands;
import org.gridfarm.storagenode.control.FarmLink;
import org.gridfarm.storagenode.control.Findings;
import org.gridfarm.storagenode.control.LeaseClock;
import org.gridfarm.storagenode.control.NodeFacts;
import org.gridfarm.storagenode.control.TicketDoor;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.linux.LinuxViews;
import org.gridfarm.storagenode.objects.Admission;
import org.gridfarm.storagenode.objects.FarmNodes;
import org.gridfarm.storagenode.objects.Intake;
import org.gridfarm.storagenode.objects.LocalFiles;
import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.objects.ObjectService;
import org.gridfarm.storagenode.objects.PeerNodes;
import org.gridfarm.storagenode.replica.BootId;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.Verifier;
import org.gridfarm.storagenode.scrub.Scrubber;
import org.gridfarm.storagenode.tasks.TaskService;
import org.gridfarm.storagenode.transfer.RangeCopy;
import org.gridfarm.storagenode.transfer.RemoteReader;
import org.gridfarm.storagenode.transfer.Replication;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A whole node, put together: disks, store, services, the link to the metaserver. Serves from
 * {@link #start} until it is closed.
 */
public final class StorageNode implements AutoCloseable {
    private final Loops loops;
    private final ReplicaStore store;
    private final TaskService tasks;
    private final Scrubber scrubber;
    private final PeerNodes peerNodes;
    private final RpcServer server;
    private final HttpEndpoint http;
    private final Metrics metrics;
    private final FarmLink link;
    private final ExecutorService background =
            Executors.newCachedThreadPool(Thread.ofVirtual().name("background-", 0).factory());

    private StorageNode(
            NodeSettings settings,
            Loops loops,
            ChannelSecurity security,
            DiskCalls calls,
            Clock clock,
            Entropy entropy) {
        String name = settings.daemon().name();
        this.loops = loops;
        NodeCounters counters = new NodeCounters();
        Findings findings = new Findings(counters);
        List<DataDirectory> disks = open(settings, calls, clock);
        store =
                new ReplicaStore(
                        disks, settings.limits(), clock, entropy, BootId.read(entropy), findings);
        clearTemporaries();
        LeaseClock lease = new LeaseClock(clock);
        TicketGate gate = new TicketGate(new NodeName(name), clock);
        TicketDoor door = new TicketDoor(gate);
        metrics = new Metrics("storagenode", name);
        SlowRequests slow = new SlowRequests(settings.daemon().slowRequest());
        RpcMeters meters = new RpcMeters(metrics.registry(), slow);

        RpcClient toNodes =
                new RpcClient(
                        loops,
                        security,
                        ExpectedServer.metaserver(),
                        Services.none(),
                        KeepAlive.DEFAULT,
                        meters);
        FarmNodes farmNodes = new FarmNodes(clock);
        peerNodes =
                new PeerNodes(
                        (node, address) ->
                                toNodes.expecting(ExpectedServer.node(new NodeName(node)))
                                        .dial(address),
                        farmNodes,
                        clock);
        Verifier verifier = new Verifier(store);
        Intake intake = new Intake(door);
        LocalFiles local =
                new LocalFiles(
                        store,
                        verifier,
                        door,
                        lease,
                        counters,
                        clock,
                        entropy,
                        settings.verifyAge(),
                        settings.limits().localMax(descriptors()),
                        intake);
        Admission admission = new Admission(door, lease, counters);
        ObjectService objects =
                new ObjectService(
                        store, admission, lease, peerNodes, local, counters, intake, clock);
        RemoteReader reader = new RemoteReader(name, store, peerNodes);
        Replication replication = new Replication(store, reader, counters, clock);
        scrubber =
                new Scrubber(
                        store,
                        verifier,
                        counters,
                        background,
                        clock,
                        settings.scrubBytesPerSecond(),
                        settings.scrubEvery());
        tasks = new TaskService(settings.tasks(), clock, local::plainFile, LinuxViews.orNone());

        Services.Builder services = Services.builder();
        objects.register(services);
        local.register(services);
        new RangeCopy(objects, reader, admission, lease).register(services);
        tasks.register(services);
        services.answer(DaemonMethods.TRAFFIC, asked -> meters.traffic().reply());
        server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                settings.daemon().listen(),
                                "storagenode " + name,
                                security,
                                services.build(),
                                ConnectionListener.NONE,
                                KeepAlive.DEFAULT,
                                meters));

        NodeFacts facts =
                new NodeFacts(
                        name,
                        settings.daemon().advertised(server.address()).toString(),
                        settings.rack(),
                        settings.group(),
                        settings.tasks().slots(),
                        settings.tasks().mount(),
                        settings.host().isEmpty() ? hostName() : settings.host(),
                        entropy.nextLong());
        RpcClient toMetaservers =
                new RpcClient(
                        loops,
                        security,
                        ExpectedServer.metaserver(),
                        new Commands(store, verifier, replication, scrubber, slow).services(),
                        KeepAlive.DEFAULT,
                        meters);
        link =
                new FarmLink(
                        facts,
                        settings.metaservers(),
                        toMetaservers,
                        store,
                        gate,
                        findings,
                        counters,
                        lease,
                        farmNodes,
                        background,
                        scrubber::rate,
                        clock,
                        entropy);
        NodeMeters.register(metrics.registry(), store, counters, tasks);
        http = HttpEndpoint.bind(loops, settings.daemon().http(), metrics, health(lease));
    }

    /**
     * Begins to serve and to look for the metaserver.
     *
     * @throws FarmException what is wrong with a directory, an address or a certificate
     */
    public static StorageNode start(
            NodeSettings settings,
            Loops loops,
            ChannelSecurity security,
            DiskCalls calls,
            Clock clock,
            Entropy entropy) {
        StorageNode node = new StorageNode(settings, loops, security, calls, clock, entropy);
        node.link.start();
        node.store.disks().forEach(disk -> node.background.execute(disk::closeTree));
        node.scrubber.schedule();
        return node;
    }

    /** That this process may have open. */
    private static long descriptors() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean limited
                ? limited.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    private static List<DataDirectory> open(NodeSettings settings, DiskCalls calls, Clock clock) {
        List<DataDirectory> disks = new ArrayList<>();
        settings.data()
                .forEach(root ->
                        disks.add(DataDirectory.open(root, calls, clock, settings.reserve())));
        return disks;
    }

    private void clearTemporaries() {
        try {
            store.clearTemporaries();
        } catch (IOException e) {
            throw store.disks().get(0).erred("clear", "tmp", e);
        }
    }

    private Health health(LeaseClock lease) {
        Health health = new Health();
        health.check(
                "registered",
                Health.Meaning.READINESS,
                () -> {
                    @Nullable FarmException refusal = link.refusal();
                    return lease.isHeld()
                            ? Optional.empty()
                            : Optional.of(
                                    refusal == null
                                            ? "no lease from a metaserver"
                                            : refusal.getMessage());
                });
        for (DataDirectory disk : store.disks()) {
            health.check(
                    "disk " + disk,
                    Health.Meaning.READINESS,
                    () ->
                            disk.isFailed()
                                    ? Optional.of("given up after errors")
                                    : Optional.empty());
        }
        return health;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    public HostPort address() {
        return server.address();
    }

    public HostPort httpAddress() {
        return http.address();
    }

    public boolean isReady() {
        return link.isReady();
    }

    /** Ends tasks, writes all checksums and makes everything durable. */
    @Override
    public void close() throws IOException {
        link.close();
        server.close();
        scrubber.stop();
        tasks.close();
        peerNodes.close();
        background.shutdownNow();
        store.close();
        http.close();
        metrics.close();
    }
}
