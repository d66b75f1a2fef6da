package org.gridfarm.protocol.rpc;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;

/** Listens on one address and greets whoever comes. Thread-safe. */
public final class RpcServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RpcServer.class);
    private static final int BACKLOG = 1024;

    private final Channel listening;
    private final ChannelGroup connections;
    private final HostPort address;

    private RpcServer(Channel listening, ChannelGroup connections, HostPort address) {
        this.listening = listening;
        this.connections = connections;
        this.address = address;
    }

    /**
     * Binds and starts to answer.
     *
     * @throws FarmException UNAVAILABLE if the address is taken or not ours; the detail says which
     */
    public static RpcServer bind(Loops loops, RpcServerConfig config) {
        return bind(loops, config, Admissions.usual());
    }

    static RpcServer bind(Loops loops, RpcServerConfig config, Admissions admissions) {
        ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        ConnectionSettings settings = config.connections();
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverChannel())
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.ALLOCATOR, Buffers.POOL)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR, SocketBuffers.receiving())
                        .childOption(
                                ChannelOption.WRITE_BUFFER_WATER_MARK, SocketBuffers.waterMark())
                        .childHandler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        String host = channel.remoteAddress().getHostString();
                                        if (!admissions.begins(host)) {
                                            log.debug("too many handshakes: {} is cut off", host);
                                            channel.close();
                                            return;
                                        }
                                        connections.add(channel);
                                        try {
                                            config.security().secureServer(channel.pipeline());
                                        } catch (RuntimeException e) {
                                            admissions.over(host); // nobody else will say so
                                            throw e;
                                        }
                                        channel.pipeline()
                                                .addLast(
                                                        "greeting",
                                                        new ServerGreeting(
                                                                config,
                                                                settings,
                                                                admissions,
                                                                host,
                                                                loops.room(),
                                                                loops.requests()));
                                    }
                                })
                        .bind(config.listen().host(), config.listen().port())
                        .awaitUninterruptibly();
        if (!bound.isSuccess())
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "listen on",
                    config.listen().toString(),
                    NetworkTrouble.bindReason(bound.cause()),
                    bound.cause());
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        HostPort address = new HostPort(config.listen().host(), port);
        log.info("{} listens on {}", config.serverName(), address);
        return new RpcServer(bound.channel(), connections, address);
    }

    /** Where it listens, with the port that was taken. */
    public HostPort address() {
        return address;
    }

    /** Stops listening and closes every connection; waits for both. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
    }
}
