package org.gridfarm.metaserver.server;

import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A real ZooKeeper in this process, with short ticks so that sessions may be short. */
final class TestZooKeeper implements AutoCloseable {
    private static final int TICK_MILLIS = 250;

    private final Path directory;
    private final int port;
    private ZooKeeperServer server;
    private ServerCnxnFactory connections;

    TestZooKeeper(Path directory) {
        this.directory = directory;
        start(0);
        port = connections.getLocalPort();
    }

    private void start(int at) {
        try {
            server =
                    new ZooKeeperServer(
                            directory.resolve("snap").toFile(),
                            directory.resolve("log").toFile(),
                            TICK_MILLIS);
            server.setMaxSessionTimeout(60_000);
            connections =
                    ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", at), 100);
            connections.startup(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Where it was, with what it knew, after {@link #close}. */
    void startAgain() {
        start(port);
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
    }
}
