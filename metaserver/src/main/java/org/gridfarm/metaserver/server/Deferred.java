package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.MetadataCalls;
import org.gridfarm.protocol.api.DaemonMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Traffic;
import org.gridfarm.protocol.rpc.ConnectionListener;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.jspecify.annotations.Nullable;

/**
 * The way from the network to a server that is made only after its port is known. Until then calls
 * are refused with NOT_READY. Thread-safe.
 */
final class Deferred {
    private volatile @Nullable MetaServer server;
    private volatile @Nullable ConnectionListener listener;

    void open(MetaServer made) {
        listener = made.connections();
        server = made;
    }

    /**
     * @param traffic of the clients of this process
     */
    Services services(Traffic traffic) {
        Services.Builder services = Services.builder();
        for (Method<?, ?> method : MetadataCalls.ALL) register(services, method);
        services.answer(DaemonMethods.TRAFFIC, asked -> traffic.reply());
        return services.build();
    }

    private <Q extends MessageLite, R extends MessageLite> void register(
            Services.Builder services, Method<Q, R> method) {
        services.on(method, this::answer);
    }

    private <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange) {
        MetaServer made = server;
        if (made == null) {
            exchange.fail(new FarmException(ErrorKind.NOT_READY, exchange.method().name(), ""));
        } else {
            made.submit(exchange);
        }
    }

    ConnectionListener connections() {
        return new ConnectionListener() {
            @Override
            public void opened(Peer peer) {
                ConnectionListener known = listener;
                if (known == null) peer.close();
                else known.opened(peer);
            }

            @Override
            public void closed(Peer peer) {
                ConnectionListener known = listener;
                if (known != null) known.closed(peer);
            }
        };
    }
}
