package org.gridfarm.metaserver.zookeeper;

import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.PemFiles;

import java.time.Duration;
import java.util.Optional;

/**
 * @param connect host:port, several separated by commas
 * @param path everything this farm keeps is below it
 * @param session how long a silent server keeps its place
 * @param password of all servers that use this path; empty: anybody may write there
 * @param tls empty: in clear text
 */
public record ZooKeeperSettings(
        String connect,
        String path,
        Duration session,
        Optional<String> password,
        Optional<PemFiles> tls) {
    public ZooKeeperSettings {
        if (!path.startsWith("/") || path.length() < 2 || path.endsWith("/")) {
            throw new IllegalArgumentException("zookeeper.path must look like /gridfarm");
        }
    }

    /** Reads {@code [zookeeper] connect, path, session, password_file, tls_*}. */
    public static ZooKeeperSettings read(Config config) {
        Config zookeeper = config.section("zookeeper");
        String path = zookeeper.text("path", "/gridfarm");
        Duration session = zookeeper.duration("session", Duration.ofSeconds(3));
        try {
            return new ZooKeeperSettings(
                    zookeeper.text("connect"),
                    path,
                    session,
                    zookeeper.secretIfAny("password"),
                    PemFiles.readIfAny(zookeeper));
        } catch (IllegalArgumentException e) {
            throw zookeeper.wrong("path", String.valueOf(e.getMessage()));
        }
    }
}
