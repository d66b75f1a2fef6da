package org.gridfarm.scheduler;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.config.DatabaseUrl;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.LogLevel;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.observe.Readiness;
import org.gridfarm.protocol.observe.RpcMeters;
import org.gridfarm.protocol.observe.RunFile;
import org.gridfarm.protocol.observe.SlowRequests;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.scheduler.queue.JobStore;
import org.gridfarm.scheduler.server.JobMeters;
import org.gridfarm.scheduler.server.Scheduler;
import org.gridfarm.scheduler.worker.ClientFarm;
import org.gridfarm.scheduler.worker.NodeRunner;
import org.gridfarm.scheduler.zookeeper.Election;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The scheduler's process: wiring, top to bottom. */
public final class SchedulerMain {
    private static final Logger log = LoggerFactory.getLogger(SchedulerMain.class);

    private SchedulerMain() {}

    public static void main(String[] arguments) {
        boolean check = arguments.length == 2 && arguments[0].equals("--check");
        if (!check && (arguments.length != 2 || !arguments[0].equals("--config"))) {
            System.err.println("gf scheduler: usage: gf scheduler --config FILE");
            System.exit(64);
        }
        try {
            SchedulerSettings settings = SchedulerSettings.read(Path.of(arguments[1]));
            if (!check) {
                run(settings);
            }
        } catch (FarmException e) {
            System.err.println("gf scheduler: " + e.getMessage());
            System.exit(e.kind().exitCode());
        }
    }

    private static void run(SchedulerSettings settings) {
        LogLevel.set(settings.daemon().logLevel());
        AuditLog.to(settings.daemon().auditLog());
        DatabaseUrl.danger(settings.databaseUrl()).ifPresent(log::warn);
        Clock clock = Clock.system();
        String name = settings.daemon().name();
        Loops loops = Loops.start("scheduler");
        Metrics metrics = new Metrics("scheduler", name);
        TlsContexts contexts = settings.daemon().security().contexts(clock, loops.handshakes());
        ChannelSecurity security =
                ChannelSecurity.tls(contexts)
                        .lettingIn(settings.daemon().security().logIns(Optional.empty(), clock));
        JobStore store =
                JobStore.open(
                        settings.databaseUrl(),
                        settings.databaseUser(),
                        settings.databasePassword());
        Gridfarm farm = connect(settings, loops, security);
        // Nodes are known by role: which node answers at an address is the metaserver's word.
        NodeRunner runner =
                new NodeRunner(new RpcClient(loops, security, ExpectedServer.anyNode()));
        Scheduler scheduler =
                new Scheduler(
                        store,
                        new ClientFarm(farm),
                        runner,
                        clock,
                        new JobMeters(metrics.registry()),
                        settings.keepJobs(),
                        chain -> contexts.peerOf(chain, Part.CLIENT),
                        SchedulerMain::deposed);
        Health health = new Health();
        health.check("database", Health.Meaning.READINESS, scheduler::problem);
        RpcMeters meters =
                new RpcMeters(
                        metrics.registry(), new SlowRequests(settings.daemon().slowRequest()));
        RpcServer server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                        settings.daemon().listen(),
                                        "scheduler " + name,
                                        security,
                                        scheduler.services(meters.traffic()))
                                .withObserver(meters));
        HttpEndpoint http = HttpEndpoint.bind(loops, settings.daemon().http(), metrics, health);
        Optional<RunFile> runFile =
                settings.daemon()
                        .runFile()
                        .map(file ->
                                RunFile.write(
                                        file,
                                        settings.daemon().advertised(server.address()),
                                        http.address()));
        Election election =
                Election.stand(
                        settings.zookeeper(),
                        settings.zookeeperPath(),
                        settings.zookeeperPassword(),
                        settings.zookeeperTls(),
                        name,
                        () -> scheduler.lead(name));
        log.info("scheduler {} answers at {}", name, server.address());
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    close(
                                            List.of(
                                                    election, server, http, runner, farm, scheduler,
                                                    store, loops));
                                    runFile.ifPresent(RunFile::close);
                                },
                                "gf-shutdown"));
        Readiness.tell();
        // All other threads are daemons: this one keeps the process until it is told to end.
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A leader may be found, or start, after this process: it is waited for. */
    private static Gridfarm connect(
            SchedulerSettings settings, Loops loops, ChannelSecurity security) {
        String name = "scheduler " + settings.daemon().name();
        while (true) {
            try {
                return Gridfarm.open(settings.client(), name, loops, security);
            } catch (FarmException e) {
                if (e.kind() != ErrorKind.TIMED_OUT) throw e;
                Readiness.tell(); // it runs, and this may take any time
                log.warn("{}; asking again", e.getMessage());
            }
        }
    }

    private static void close(List<AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                log.warn("closing {}: {}", part.getClass().getSimpleName(), e.getMessage());
            }
        }
    }

    /** What was in memory may be behind the table now: begin anew, standing by. */
    private static void deposed(FarmException reason) {
        log.error("ending: {}", reason.getMessage());
        System.exit(reason.kind().exitCode());
    }
}
