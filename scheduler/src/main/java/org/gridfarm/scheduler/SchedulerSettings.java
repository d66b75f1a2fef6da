package org.gridfarm.scheduler;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;

import java.nio.file.Path;

/**
 * The scheduler's configuration file.
 *
 * @param client the scheduler as a client of the metaservers
 */
record SchedulerSettings(
        DaemonSettings daemon,
        ClientConfig client,
        String databaseUrl,
        String databaseUser,
        String databasePassword,
        String zookeeper,
        String zookeeperPath) {

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
                            zookeeper.text("path", "/gridfarm"));
                });
    }
}
