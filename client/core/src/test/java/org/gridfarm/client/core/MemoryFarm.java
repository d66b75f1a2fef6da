package org.gridfarm.client.core;

import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.gridfarm.protocol.rpc.Services;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A farm inside one JVM over real sockets: one metaserver and some nodes, all in memory, and the
 * clients opened on it.
 */
public final class MemoryFarm implements AutoCloseable {
    private static final Identity ALICE =
            new Identity("/CN=Alice", Role.USER, List.of("alice"), Optional.empty(), false);

    final List<MemoryNode> nodes = new ArrayList<>();
    final MemoryMetaserver metaserver;
    private final Loops loops = Loops.start("memory-farm");
    private final ChannelSecurity security = ChannelSecurity.insecureForTests(ALICE);
    private final List<Gridfarm> clients = new ArrayList<>();

    public MemoryFarm(int nodeCount) {
        for (int n = 1; n <= nodeCount; n++) {
            nodes.add(new MemoryNode("n" + n, loops, security));
        }
        metaserver = new MemoryMetaserver(loops, security, nodes);
    }

    /** A connection to the metaserver alone, by which it may push. */
    public Peer dial(Services pushes) {
        return new RpcClient(
                        loops,
                        security,
                        ExpectedServer.metaserver(),
                        pushes,
                        KeepAlive.DEFAULT,
                        RpcObserver.NONE)
                .dial(metaserver.address())
                .join();
    }

    Gridfarm client() {
        return client(Duration.ofSeconds(10));
    }

    Gridfarm client(Duration deadline) {
        return client(deadline, Inheritance.NONE, OwnDecisions.NONE);
    }

    Gridfarm client(Inheritance inheritance, OwnDecisions decisions) {
        return client(Duration.ofSeconds(10), inheritance, decisions);
    }

    private Gridfarm client(Duration deadline, Inheritance inheritance, OwnDecisions decisions) {
        java.nio.file.Path none = java.nio.file.Path.of("none");
        SecuritySettings unused =
                new SecuritySettings(
                        none,
                        Optional.empty(),
                        none,
                        RevocationPolicy.WHEN_PRESENT,
                        TlsEngine.JDK,
                        Optional.empty());
        ClientConfig config =
                new ClientConfig(
                        List.of(metaserver.address()),
                        List.of(),
                        "",
                        List.of(),
                        deadline,
                        8 << 20,
                        "",
                        unused);
        Gridfarm client = Gridfarm.open(config, "test", loops, security, inheritance, decisions);
        clients.add(client);
        return client;
    }

    @Override
    public void close() {
        clients.forEach(Gridfarm::close);
        metaserver.close();
        nodes.forEach(MemoryNode::close);
        loops.close();
    }
}
