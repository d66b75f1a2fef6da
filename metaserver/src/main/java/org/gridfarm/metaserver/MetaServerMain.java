package org.gridfarm.metaserver;

import org.gridfarm.metaserver.postgres.DatabaseSettings;
import org.gridfarm.metaserver.postgres.PostgresStore;
import org.gridfarm.metaserver.server.MetaServerDaemon;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.metaserver.token.TokenSettings;
import org.gridfarm.metaserver.zookeeper.ZooKeeperCluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.config.DatabaseUrl;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.observe.LogLevel;
import org.gridfarm.protocol.observe.Readiness;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Loops;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * {@code gf metaserver --config FILE}: reads the configuration, wires the parts, serves until
 * SIGTERM.
 */
public final class MetaServerMain {
    private static final Logger LOG = LoggerFactory.getLogger(MetaServerMain.class);

    private MetaServerMain() {}

    public static void main(String[] args) throws InterruptedException {
        try {
            Settings settings = Config.read(configuration(args), Settings::read);
            if (args[0].equals("--check")) {
                return; // gf config check: nothing is wrong with the file
            }
            MetaServerDaemon daemon = start(settings);
            CountDownLatch ended = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(
                                    () -> {
                                        daemon.close();
                                        ended.countDown();
                                    },
                                    "gf-shutdown"));
            Readiness.tell();
            ended.await();
        } catch (FarmException e) {
            System.err.println("gf: metaserver: " + e.getMessage());
            System.exit(e.kind().exitCode());
        }
    }

    private static Path configuration(String[] args) {
        if (args.length == 2 && (args[0].equals("--config") || args[0].equals("--check"))) {
            return Path.of(args[1]);
        }
        throw new FarmException(
                ErrorKind.USAGE, "metaserver", "", "usage: gf metaserver --config FILE");
    }

    private record Settings(
            MetaServerSettings server,
            Optional<TokenSettings> tokens,
            DatabaseSettings database,
            ZooKeeperSettings zookeeper) {
        static Settings read(Config config) {
            return new Settings(
                    MetaServerSettings.read(config),
                    TokenSettings.read(config),
                    DatabaseSettings.read(config),
                    ZooKeeperSettings.read(config));
        }
    }

    private static ChannelSecurity security(Settings settings, Loops loops) {
        Clock clock = Clock.system();
        SecuritySettings own = settings.server().daemon().security();
        SecuritySettings open = settings.tokens().isPresent() ? own.withGuests() : own;
        return open.open(clock, loops.handshakes())
                .lettingIn(
                        own.logIns(
                                settings.tokens()
                                        .map(tokens ->
                                                tokens.open(
                                                        clock,
                                                        own.people(clock).orElse(GridMap::empty))),
                                clock));
    }

    private static MetaServerDaemon start(Settings settings) {
        DaemonSettings daemon = settings.server().daemon();
        LogLevel.set(daemon.logLevel());
        AuditLog.to(daemon.auditLog());
        DatabaseUrl.danger(settings.database().url()).ifPresent(LOG::warn);
        Loops loops = Loops.start("meta");
        return MetaServerDaemon.start(
                settings.server(),
                loops,
                security(settings, loops),
                PostgresStore.open(settings.database()),
                ZooKeeperCluster.connect(settings.zookeeper()));
    }
}
