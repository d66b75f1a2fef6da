package org.gridfarm.client.core;

import org.gridfarm.client.core.metadata.GivenDirectory;
import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.core.session.SessionSettings;
import org.gridfarm.client.core.transfer.client.TransferClient;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.RecallRequest;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The wiring of one client: network threads, session, namespace, transfer. */
final class FarmConnection implements AutoCloseable {
    final Loops loops;
    final FarmSession session;
    final TransferClient transfer;
    final RpcClient others;
    private final boolean ownLoops;
    private @Nullable MetadataClient metadata; // set before the first connection is made

    FarmConnection(
            ClientConfig config, String name, Inheritance inheritance, OwnDecisions decisions) {
        this(config, name, Loops.start("gf-client"), true, null, inheritance, decisions);
    }

    /**
     * @param security instead of the configuration's, for tests
     */
    FarmConnection(
            ClientConfig config,
            String name,
            Loops loops,
            boolean ownLoops,
            @Nullable ChannelSecurity security,
            Inheritance inheritance,
            OwnDecisions decisions) {
        Clock clock = Clock.system();
        Entropy entropy = Entropy.system();
        this.loops = loops;
        this.ownLoops = ownLoops;
        ChannelSecurity secured =
                security != null ? security : config.open(clock, loops.handshakes());
        Services pushes =
                Services.builder()
                        .onAsync(
                                MetadataMethods.RECALL,
                                exchange -> metadata().recalled(exchange.request()))
                        .build();
        RpcClient metaservers =
                new RpcClient(
                                loops,
                                secured,
                                ExpectedServer.metaserver(),
                                pushes,
                                KeepAlive.DEFAULT,
                                RpcObserver.NONE)
                        .as(config.account());
        others = new RpcClient(loops, secured, ExpectedServer.metaserver());
        List<HostPort> addresses = config.metaservers();
        session =
                new FarmSession(
                        new SessionSettings(addresses, name, config.node(), config.timeout()),
                        metaservers,
                        clock,
                        entropy,
                        inheritance);
        metadata = new MetadataClient(session, clock, config.cacheBytes());
        Function<org.gridfarm.protocol.name.NodeName, Dialer> nodes =
                node -> others.expecting(ExpectedServer.node(node));
        transfer =
                new TransferClient(
                        session,
                        metadata(),
                        new Nodes(nodes, clock),
                        clock,
                        entropy,
                        config.node(),
                        config.nodeData());
        decisions.begins(new Deciding(session, metadata(), transfer));
        metadata().decidesBy(decisions);
    }

    /** What decisions of this client's own need of it. */
    private record Deciding(FarmSession session, MetadataClient metadata, TransferClient transfer)
            implements OwnDecisions.Client {
        @Override
        public void settled(long sequence) {
            metadata.sequences().answered(sequence);
        }

        @Override
        public boolean isOpen(long inode) {
            return transfer.isOpen(inode);
        }

        @Override
        public OptionalLong writtenAt(long inode) {
            return transfer.writtenAt(inode);
        }

        @Override
        public void modificationTimeSet(long inode, long written) {
            transfer.modificationTimeSet(inode, written);
        }

        @Override
        public boolean isUntold(long inode) {
            return transfer.isUntold(inode);
        }

        @Override
        public CompletableFuture<Void> tell(Collection<Long> inodes) {
            return transfer.tell(inodes);
        }

        @Override
        public long[] stampsBeforeGiven() {
            return metadata.cache().madeStamp();
        }

        @Override
        public void given(GivenDirectory directory, long[] before) {
            metadata.given(directory, before);
        }

        @Override
        public void opened(long handle, OpenReply reply) {
            transfer.opened(handle, reply);
        }

        @Override
        public CompletableFuture<Void> forget(RecallRequest all) {
            return metadata.forget(all);
        }
    }

    MetadataClient metadata() {
        MetadataClient made = metadata;
        if (made == null) {
            throw new IllegalStateException("asked before it was wired");
        }
        return made;
    }

    @Override
    public void close() {
        session.close();
        transfer.close();
        if (ownLoops) {
            loops.close();
        }
    }
}
