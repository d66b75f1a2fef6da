package org.gridfarm.scheduler;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.config.PemFiles;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The scheduler's configuration file.
 *
 * @param client the scheduler as a client of the metaservers
 * @param keepJobs how long jobs that have ended stay in the database; zero: for ever
 */
record SchedulerSettings(
        DaemonSettings daemon,
        ClientConfig client,
        String databaseUrl,
        String databaseUser,
        String databasePassword,
        String zookeeper,
        String zookeeperPath,
        Optional<String> zookeeperPassword,
        Optional<PemFiles> zookeeperTls,
        Duration keepJobs) {
    private static final Duration KEPT_USUALLY = Duration.ofDays(90);

    static SchedulerSettings read(Path file) {
        return Config.read(
                file,
                config -> {
                    Config database = config.section("database");
                    Config zookeeper = config.section("zookeeper");
                    return new SchedulerSettings(
                            DaemonSettings.read(config),
                            ClientConfig.of(config),
                            database.text("url"),
                            database.text("user"),
                            database.secret("password"),
                            zookeeper.text("connect"),
                            zookeeper.text("path", "/gridfarm"),
                            zookeeper.secretIfAny("password"),
                            PemFiles.readIfAny(zookeeper),
                            config.section("jobs").duration("keep", KEPT_USUALLY));
                });
    }
}
