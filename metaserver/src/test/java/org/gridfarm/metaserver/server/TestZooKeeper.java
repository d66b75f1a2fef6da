package org.gridfarm.metaserver.server;

import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.ProviderRegistry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** A real ZooKeeper in this process, with short ticks so that sessions may be short. */
final class TestZooKeeper implements AutoCloseable {
    private static final int TICK_MILLIS = 250;

    private final Path directory;
    private final int port;
    private final Set<String> properties;
    private ZooKeeperServer server;
    private ServerCnxnFactory connections;

    TestZooKeeper(Path directory) {
        this(directory, listening(0), Set.of());
    }

    private TestZooKeeper(Path directory, ServerCnxnFactory connections, Set<String> properties) {
        this.directory = directory;
        this.connections = connections;
        this.properties = properties;
        server = served(directory, connections);
        port = connections.getLocalPort();
    }

    /**
     * One that speaks TLS alone, and with those who have a certificate of its authority, as set up
     * in docs/installing.md.
     *
     * @param files its key and certificate as {@code zookeeper.pem}, the authority as {@code
     *     ca.pem}
     */
    static TestZooKeeper secure(Path directory, Path files) {
        Map<String, String> settings =
                Map.of(
                        "zookeeper.authProvider.x509",
                        "org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                        "zookeeper.ssl.protocol",
                        "TLSv1.3",
                        "zookeeper.ssl.keyStore.location",
                        files + "/zookeeper.pem",
                        "zookeeper.ssl.keyStore.type",
                        "PEM",
                        "zookeeper.ssl.trustStore.location",
                        files + "/ca.pem",
                        "zookeeper.ssl.trustStore.type",
                        "PEM");
        settings.forEach(System::setProperty); // in this process there is no other way to say it
        ProviderRegistry.reset();
        String choice = ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY;
        System.setProperty(choice, "org.apache.zookeeper.server.NettyServerCnxnFactory");
        try {
            ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
            connections.configure(new InetSocketAddress("127.0.0.1", 0), 100, -1, true);
            return new TestZooKeeper(directory, connections, settings.keySet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.clearProperty(choice);
        }
    }

    private static ServerCnxnFactory listening(int at) {
        try {
            return ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", at), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ZooKeeperServer served(Path directory, ServerCnxnFactory connections) {
        try {
            ZooKeeperServer server =
                    new ZooKeeperServer(
                            directory.resolve("snap").toFile(),
                            directory.resolve("log").toFile(),
                            TICK_MILLIS);
            server.setMaxSessionTimeout(60_000);
            connections.startup(server);
            return server;
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
        connections = listening(port);
        server = served(directory, connections);
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
        if (!properties.isEmpty()) {
            properties.forEach(System::clearProperty);
            ProviderRegistry.reset();
        }
    }
}
