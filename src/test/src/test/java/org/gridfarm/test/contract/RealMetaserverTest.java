package org.gridfarm.test.contract;

import org.awaitility.Awaitility;
import org.gridfarm.metaserver.memory.MemoryStore;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.server.MetaServerDaemon;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.RegisterNodeRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The product's own leader, over TLS; its journal is in memory, and nobody else stands. */
@Tag("quick")
class RealMetaserverTest extends MetaserverContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SecuritySettings UNUSED_FILES =
            new SecuritySettings(
                    Path.of("none"),
                    Optional.empty(),
                    Path.of("none"),
                    RevocationPolicy.WHEN_PRESENT,
                    TlsEngine.AUTOMATIC,
                    Optional.empty());

    /** One server, which is elected at once. */
    private static final class Alone implements Cluster {
        private volatile @Nullable Listener told;

        @Override
        public void start(Member self, boolean candidate, Listener listener) {
            told = listener;
            announce(self);
            listener.elected();
        }

        @Override
        public void announce(Member self) {
            Listener listener = told;
            if (listener != null) listener.members(List.of(self));
        }

        @Override
        public void vacate(Member leader) {}

        @Override
        public void resign() {}

        @Override
        public void close() {}
    }

    private final CertificateAuthority authority;
    private final Loops loops = Loops.start("contract");
    private final Loops serverLoops = Loops.start("ms1");
    private final MetaServerDaemon server;
    private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();

    RealMetaserverTest() throws GeneralSecurityException {
        authority = CertificateAuthority.create("/O=Test/CN=Test CA", Instant.now());
        server =
                MetaServerDaemon.start(
                        new MetaServerSettings(
                                new DaemonSettings(
                                        "ms1",
                                        new HostPort("127.0.0.1", 0),
                                        Optional.empty(),
                                        new HostPort("127.0.0.1", 0),
                                        "INFO",
                                        Optional.empty(),
                                        Optional.empty(),
                                        java.time.Duration.ofSeconds(1),
                                        UNUSED_FILES),
                                true,
                                Map.of("alice", Credentials.getDefaultInstance()),
                                Duration.ofSeconds(60),
                                RepairLimits.USUAL,
                                ClientLimits.ofHeap(Runtime.getRuntime().maxMemory())),
                        serverLoops,
                        security("ms"),
                        new MemoryStore(),
                        new Alone());
        Awaitility.await().atMost(PATIENCE).until(() -> server.server().role().equals("leader"));
        registerNode();
    }

    private void registerNode() throws GeneralSecurityException {
        Peer node = dial("n1", Services.builder().build());
        node.callPlain(
                        MetadataMethods.REGISTER_NODE,
                        RegisterNodeRequest.newBuilder()
                                .setName("n1")
                                .setAddress("127.0.0.1:1")
                                .setHost("n1")
                                .setIncarnation(1)
                                .setEmpty(true)
                                .build(),
                        PATIENCE)
                .join();
        beat(node);
        beats.scheduleAtFixedRate(() -> beat(node), 300, 300, TimeUnit.MILLISECONDS);
    }

    private static void beat(Peer node) {
        node.callPlain(
                        MetadataMethods.HEARTBEAT,
                        HeartbeatRequest.newBuilder()
                                .setName("n1")
                                .setIncarnation(1)
                                .setCapacity(1L << 40)
                                .setAvailable(1L << 39)
                                .build(),
                        PATIENCE)
                .join();
    }

    private ChannelSecurity security(String name) throws GeneralSecurityException {
        Credential credential =
                authority.issueHost("/O=Test/CN=" + name, List.of("127.0.0.1"), Instant.now());
        TrustStore trust = TrustStore.of(authority.certificate());
        GridMap map =
                GridMap.parse(
                        """
                        "/O=Test/CN=alice" @admin:alice
                        "/O=Test/CN=ms" @metaserver
                        "/O=Test/CN=n1" @node:n1
                        """,
                        "map");
        return ChannelSecurity.tls(
                new TlsContexts(
                        () -> credential,
                        new ChainValidator(trust),
                        () -> map,
                        Clock.system(),
                        TlsEngine.AUTOMATIC));
    }

    private Peer dial(String as, Services pushes) throws GeneralSecurityException {
        return new RpcClient(
                        loops,
                        security(as),
                        ExpectedServer.metaserver(),
                        pushes,
                        KeepAlive.DEFAULT,
                        RpcObserver.NONE)
                .dial(server.address())
                .join();
    }

    @Override
    Peer dial(Services pushes) {
        try {
            return dial("alice", pushes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    void end() {
        beats.shutdownNow();
        server.close();
        loops.close();
    }
}
