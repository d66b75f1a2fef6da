package org.gridfarm.scheduler;

import java.nio.file.Path;
import java.util.List;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.rpc.HostPort;

/**
 * The scheduler's configuration file.
 *
 * @param file itself, for messages
 */
record SchedulerSettings(
        DaemonSettings daemon,
        Path file,
        List<HostPort> metaservers,
        String databaseUrl,
        String databaseUser,
        String databasePassword,
        String zookeeper,
        String zookeeperPath) {

    static SchedulerSettings read(Path file) {
        return Config.read(file, config -> {
            Config database = config.section("database");
            Config zookeeper = config.section("zookeeper");
            return new SchedulerSettings(
                    DaemonSettings.read(config),
                    file,
                    config.addresses("metaservers"),
                    database.text("url"),
                    database.text("user"),
                    database.secret("password"),
                    zookeeper.text("connect"),
                    zookeeper.text("path", "/gridfarm"));
        });
    }
}
