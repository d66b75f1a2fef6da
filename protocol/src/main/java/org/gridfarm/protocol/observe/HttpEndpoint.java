package org.gridfarm.protocol.observe;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Health.Finding;
import org.gridfarm.protocol.observe.Health.Meaning;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP side door of every daemon: {@code /metrics}, {@code /livez}, {@code /readyz} and {@code
 * /healthz} (all checks). It only shows, changes nothing, asks nobody who they are and tells no
 * names: bind it to an address that only operators reach.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int REQUEST_BYTES_MAX = 8 << 10;
    private static final int IDLE_SECONDS_MAX = 60;

    /** One more, and the oldest ends: who opens many keeps nobody else out. */
    static final int CONNECTIONS_MAX = 64;

    private final Channel listening;
    private final ChannelGroup connections;
    private final HostPort address;

    /** One page: a status code, a media type and a text. */
    record Page(int status, String type, String text) {}

    private HttpEndpoint(Channel listening, ChannelGroup connections, HostPort address) {
        this.listening = listening;
        this.connections = connections;
        this.address = address;
    }

    /**
     * @throws FarmException UNAVAILABLE if the address cannot be bound
     */
    public static HttpEndpoint bind(Loops loops, HostPort listen, Metrics metrics, Health health) {
        Map<String, Supplier<Page>> pages =
                Map.of(
                        "/metrics",
                                () ->
                                        new Page(
                                                200,
                                                "text/plain; version=0.0.4; charset=utf-8",
                                                metrics.scrape()),
                        "/livez", () -> verdict(health, List.of(Meaning.LIVENESS)),
                        "/readyz",
                                () -> verdict(health, List.of(Meaning.READINESS, Meaning.LIVENESS)),
                        "/healthz", () -> verdict(health, List.of(Meaning.values())));
        ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        Deque<Channel> oldestFirst = new ArrayDeque<>(); // guarded by itself
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverChannel())
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childHandler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        connections.add(channel);
                                        bound(oldestFirst, channel);
                                        channel.pipeline()
                                                .addLast(
                                                        new ReadTimeoutHandler(
                                                                IDLE_SECONDS_MAX, TimeUnit.SECONDS))
                                                .addLast(new HttpServerCodec())
                                                .addLast(
                                                        new HttpObjectAggregator(REQUEST_BYTES_MAX))
                                                .addLast(new HttpPages(pages));
                                    }
                                })
                        .bind(listen.host(), listen.port())
                        .awaitUninterruptibly();
        if (!bound.isSuccess())
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "listen on",
                    listen.toString(),
                    Optional.ofNullable(bound.cause().getMessage()).orElse("unknown"),
                    bound.cause());
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        HostPort address = new HostPort(listen.host(), port);
        log.info("metrics and health at http://{}/", address);
        return new HttpEndpoint(bound.channel(), connections, address);
    }

    private static void bound(Deque<Channel> oldestFirst, Channel added) {
        Channel surplus;
        synchronized (oldestFirst) {
            oldestFirst.addLast(added);
            surplus = oldestFirst.size() > CONNECTIONS_MAX ? oldestFirst.pollFirst() : null;
        }
        added.closeFuture()
                .addListener(closed -> {
                    synchronized (oldestFirst) {
                        oldestFirst.remove(added);
                    }
                });
        if (surplus != null) {
            surplus.close();
        }
    }

    private static Page verdict(Health health, List<Meaning> meanings) {
        StringBuilder text = new StringBuilder();
        boolean well = true;
        for (Finding finding : health.look()) {
            if (!meanings.contains(finding.meaning())) continue;
            well &= finding.problem().isEmpty();
            text.append(finding.name())
                    .append(": ")
                    .append(finding.problem().orElse("ok"))
                    .append('\n');
        }
        return new Page(
                well ? 200 : 503, "text/plain; charset=utf-8", (well ? "ok\n" : "not ok\n") + text);
    }

    public HostPort address() {
        return address;
    }

    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
    }
}
