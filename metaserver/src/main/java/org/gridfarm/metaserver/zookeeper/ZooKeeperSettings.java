package org.gridfarm.metaserver.zookeeper;

import org.gridfarm.protocol.config.Config;

import java.time.Duration;

/**
 * @param connect host:port, several separated by commas
 * @param path everything this farm keeps is below it
 * @param session how long a silent server keeps its place
 */
public record ZooKeeperSettings(String connect, String path, Duration session) {
    public ZooKeeperSettings {
        if (!path.startsWith("/") || path.length() < 2 || path.endsWith("/")) {
            throw new IllegalArgumentException("zookeeper.path must look like /gridfarm");
        }
    }

    /** Reads {@code [zookeeper] connect, path, session}. */
    public static ZooKeeperSettings read(Config config) {
        Config zookeeper = config.section("zookeeper");
        String path = zookeeper.text("path", "/gridfarm");
        Duration session = zookeeper.duration("session", Duration.ofSeconds(3));
        try {
            return new ZooKeeperSettings(zookeeper.text("connect"), path, session);
        } catch (IllegalArgumentException e) {
            throw zookeeper.wrong("path", String.valueOf(e.getMessage()));
        }
    }
}
