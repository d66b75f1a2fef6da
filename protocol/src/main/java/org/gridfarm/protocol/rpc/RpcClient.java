package org.gridfarm.protocol.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;

import java.util.concurrent.CompletableFuture;

/** Dials servers that share one kind of security. Thread-safe; holds no connection itself. */
public final class RpcClient implements Dialer {
    private final Loops loops;
    private final ChannelSecurity security;
    private final ExpectedServer expected;
    private final ConnectionSettings settings;
    private final String account;

    public RpcClient(Loops loops, ChannelSecurity security, ExpectedServer expected) {
        this(loops, security, expected, Services.none(), KeepAlive.DEFAULT, RpcObserver.NONE);
    }

    /**
     * @param expected whom {@link #dial(HostPort)} means to reach
     * @param pushes what this side answers when the server calls it
     */
    public RpcClient(
            Loops loops,
            ChannelSecurity security,
            ExpectedServer expected,
            Services pushes,
            KeepAlive keepAlive,
            RpcObserver observer) {
        this(
                loops,
                security,
                expected,
                new ConnectionSettings(pushes, keepAlive, observer, security.everybody() == null),
                "");
    }

    private RpcClient(
            Loops loops,
            ChannelSecurity security,
            ExpectedServer expected,
            ConnectionSettings settings,
            String account) {
        this.account = account;
        this.loops = loops;
        this.security = security;
        this.expected = expected;
        this.settings = settings;
    }

    /**
     * The same client for another server: {@code
     * nodes.expecting(ExpectedServer.node(n1)).dial(...)}.
     */
    public RpcClient expecting(ExpectedServer other) {
        return new RpcClient(loops, security, other, settings, account);
    }

    /**
     * The same client of somebody who wants to be this one of his accounts; empty: the first.
     * Dialling fails with ACCESS_DENIED where the server's map does not give it to him.
     */
    public RpcClient as(String other) {
        return new RpcClient(loops, security, expected, settings, other);
    }

    /**
     * Dials. The future fails with UNAVAILABLE, TIMED_OUT, NOT_AUTHENTICATED (either side did not
     * like the other), WRONG_VERSION or what the server says instead of its welcome.
     */
    @Override
    public CompletableFuture<Peer> dial(HostPort address) {
        CompletableFuture<Peer> welcomed = new CompletableFuture<>();
        ChannelFuture connecting =
                new Bootstrap()
                        .group(loops.group())
                        .channel(loops.socketChannel())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                (int) RpcLimits.HANDSHAKE_MAX.toMillis())
                        .option(ChannelOption.ALLOCATOR, Buffers.POOL)
                        .option(ChannelOption.RECVBUF_ALLOCATOR, SocketBuffers.receiving())
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, SocketBuffers.waterMark())
                        .handler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        security.secureClient(channel, address, expected);
                                        channel.pipeline()
                                                .addLast(
                                                        "greeting",
                                                        new ClientGreeting(
                                                                address,
                                                                expected,
                                                                security,
                                                                settings,
                                                                account,
                                                                security.logInTo(expected.role()),
                                                                welcomed));
                                    }
                                })
                        .connect(address.host(), address.port());
        connecting.addListener(done -> {
            if (!done.isSuccess())
                welcomed.completeExceptionally(NetworkTrouble.toFailure(done.cause(), address));
        });
        return welcomed;
    }
}
