package org.gridfarm.metaserver.server;

import com.google.protobuf.ByteString;

import org.awaitility.Awaitility;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.postgres.DatabaseSettings;
import org.gridfarm.metaserver.postgres.PostgresStore;
import org.gridfarm.metaserver.postgres.TestDatabase;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.metaserver.zookeeper.ZooKeeperCluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.GuestCertificate;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.LogIns;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.OwnLogIn;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Credentials;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Metaservers in this process on a real PostgreSQL and a real ZooKeeper, over TLS, for tests. */
final class TestFarm implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String MAP =
            """
            "/O=Test/CN=alice" @admin:alice
            "/O=Test/CN=mount" @mount:root
            "/O=Test/CN=desktop" @mount
            "/O=Test/CN=sched" @scheduler
            "/O=Test/CN=bob" bob
            "/O=Test/CN=mallory" mallory
            "/O=Test/CN=ms" @metaserver
            "/O=Test/CN=n1" @node:n1
            "/O=Test/CN=n2" @node:n2
            "/O=Test/CN=n3" @node:n3
            """;

    private static final String TOKEN = "token:";

    /** Believes what a token says; who judges real ones has tests of his own. */
    private static final LogIns LOG_INS =
            new LogIns(
                    Optional.of(token -> {
                        String[] parts = token.substring(TOKEN.length()).split(" ", 2);
                        Identity who =
                                new Identity(
                                                "https://tokens.test " + parts[0],
                                                Role.USER,
                                                List.of(parts[0]),
                                                Optional.empty(),
                                                true)
                                        .under(Scopes.parse(parts[1], List.of()));
                        return new LogIns.Standing() {
                            @Override
                            public Identity identity() {
                                return who;
                            }

                            @Override
                            public boolean stands() {
                                return true;
                            }
                        };
                    }),
                    Optional.empty());

    /** Keys are made in memory here; the settings are not asked for any. */
    private static final SecuritySettings UNUSED_FILES =
            new SecuritySettings(
                    Path.of("none"),
                    Optional.empty(),
                    Path.of("none"),
                    RevocationPolicy.values()[0],
                    TlsEngine.AUTOMATIC,
                    Optional.empty());

    final DatabaseSettings database = TestDatabase.create();
    final TestZooKeeper zookeeper;
    private final CertificateAuthority authority;
    ClientLimits limits = ClientLimits.ofHeap(Runtime.getRuntime().maxMemory());
    private final Loops loops = Loops.start("test");
    private final List<MetaServerDaemon> servers = new ArrayList<>();

    TestFarm(Path directory) {
        zookeeper = new TestZooKeeper(directory);
        try {
            authority = CertificateAuthority.create("/O=Test/CN=Test CA", Instant.now());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    MetaServerDaemon start(String name, boolean candidate) {
        return start(name, candidate, PostgresStore.open(database));
    }

    MetaServerDaemon start(String name, boolean candidate, JournalStore store) {
        Loops own = Loops.start(name);
        MetaServerDaemon daemon =
                MetaServerDaemon.start(
                        new MetaServerSettings(
                                new DaemonSettings(
                                        name,
                                        new HostPort("127.0.0.1", 0),
                                        Optional.empty(),
                                        new HostPort("127.0.0.1", 0),
                                        "INFO",
                                        Optional.empty(),
                                        Optional.empty(),
                                        Duration.ofSeconds(1),
                                        UNUSED_FILES),
                                candidate,
                                Map.of(
                                        "alice",
                                        Credentials.getDefaultInstance(),
                                        "bob",
                                        Credentials.newBuilder().setUid(1000).setGid(1000).build(),
                                        "mallory",
                                        Credentials.newBuilder().setUid(1001).setGid(1001).build()),
                                Duration.ofSeconds(5),
                                RepairLimits.USUAL,
                                limits),
                        own,
                        security("ms").lettingIn(LOG_INS),
                        store,
                        ZooKeeperCluster.connect(
                                new ZooKeeperSettings(
                                        zookeeper.address(),
                                        "/test",
                                        Duration.ofSeconds(2),
                                        Optional.of("farm password"),
                                        Optional.empty())));
        servers.add(daemon);
        return daemon;
    }

    private ChannelSecurity security(String name) {
        try {
            return security(
                    authority.issueHost("/O=Test/CN=" + name, List.of("127.0.0.1"), Instant.now()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private ChannelSecurity security(Credential credential) {
        try {
            TrustStore trust = TrustStore.of(authority.certificate());
            GridMap map = GridMap.parse(MAP, "map");
            return ChannelSecurity.tls(
                    new TlsContexts(
                            () -> credential,
                            new ChainValidator(trust),
                            () -> map,
                            Clock.system(),
                            TlsEngine.AUTOMATIC,
                            Runnable::run,
                            true));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Connects as the name of the certificate; {@code token:ACCOUNT SCOPES} as a guest. */
    Peer dial(String as, MetaServerDaemon server, Services pushes) {
        ChannelSecurity security =
                as.startsWith(TOKEN)
                        ? security(GuestCertificate.make(Instant.now()))
                                .loggingIn(OwnLogIn.byToken(() -> as))
                        : security(as);
        RpcClient client =
                new RpcClient(
                        loops,
                        security,
                        ExpectedServer.metaserver(),
                        pushes,
                        KeepAlive.DEFAULT,
                        RpcObserver.NONE);
        return get(client.dial(server.address()));
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds() + 5, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) throw cause;
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * For what may be three leases or deadlines away: 15 s, and as much again on a busy machine.
     */
    static void await(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(10))
                .until(condition::getAsBoolean);
    }

    static void awaitRole(MetaServerDaemon server, String role) {
        await(role, () -> server.server().role().equals(role) && server.server().isReady());
    }

    static ByteString name(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }

    /** As a crash would: connections end, nothing is finished. */
    void stop(MetaServerDaemon server) {
        servers.remove(server);
        server.close();
    }

    @Override
    public void close() {
        for (MetaServerDaemon server : List.copyOf(servers)) stop(server);
        loops.close();
        zookeeper.close();
    }
}
