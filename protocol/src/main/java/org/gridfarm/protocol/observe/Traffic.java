package org.gridfarm.protocol.observe;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.TrafficReply;
import org.gridfarm.protocol.wire.TrafficRow;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** How many requests and bytes each client has had of this server, for gf top. Thread-safe. */
public final class Traffic {
    /** Those who come later share a row. */
    private static final int CLIENTS_MAX = 1_000;

    private static final Client OTHERS = new Client("", "(others)", "");

    private record Client(String who, String user, String host) {
        static Client of(Peer peer) {
            String address = peer.address();
            int port = address.lastIndexOf(':');
            return new Client(
                    peer.identity().dn(),
                    peer.identity().user(),
                    port < 0 ? address : address.substring(0, port));
        }
    }

    private record Counts(
            LongAdder requests, LongAdder failures, LongAdder received, LongAdder sent) {
        static Counts none() {
            return new Counts(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
        }
    }

    private final ConcurrentMap<Client, Counts> clients = new ConcurrentHashMap<>();
    private final long began = System.nanoTime();

    void count(Exchange<?, ?> exchange, @Nullable ErrorKind failure, long received, long sent) {
        Client client = Client.of(exchange.peer());
        Counts counts = clients.get(client);
        if (counts == null) {
            counts =
                    clients.computeIfAbsent(
                            clients.size() < CLIENTS_MAX ? client : OTHERS,
                            absent -> Counts.none());
        }
        counts.requests.increment();
        counts.received.add(received);
        counts.sent.add(sent);
        if (failure != null) {
            counts.failures.increment();
        }
    }

    /** Since this server began. */
    public TrafficReply reply() {
        TrafficReply.Builder reply =
                TrafficReply.newBuilder()
                        .setCountedMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        clients.forEach((client, counts) ->
                reply.addClients(
                        TrafficRow.newBuilder()
                                .setWho(client.who())
                                .setUser(client.user())
                                .setHost(client.host())
                                .setRequests(counts.requests.sum())
                                .setFailures(counts.failures.sum())
                                .setReceived(counts.received.sum())
                                .setSent(counts.sent.sum())));
        return reply.build();
    }
}
