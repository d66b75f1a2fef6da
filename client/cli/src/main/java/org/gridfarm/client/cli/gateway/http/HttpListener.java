package org.gridfarm.client.cli.gateway.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;

import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.SSLEngine;

/** Where clients come in. Close ends it, all connections and what they were about. */
public final class HttpListener implements AutoCloseable {
    /** A path of 4096 bytes, each as a percent sign and two digits, twice in a rename. */
    private static final int LINE_BYTES_MAX = 32 << 10;

    private static final int HEADER_BYTES_MAX = 16 << 10;
    private static final int PIECE_BYTES_MAX = 64 << 10;
    private static final int CONNECTIONS_MAX = 4_000;

    /** Of one whose head has come: its line and headers, twice. */
    private static final int CONNECTION_BYTES = 2 * (LINE_BYTES_MAX + HEADER_BYTES_MAX);

    private final Channel listening;
    private final ChannelGroup connections;
    private final ExecutorService threads;

    private HttpListener(Channel listening, ChannelGroup connections, ExecutorService threads) {
        this.listening = listening;
        this.connections = connections;
        this.threads = threads;
    }

    /**
     * @param tls empty: in the clear. A client may show a certificate
     * @throws FarmException UNAVAILABLE where the address cannot be had
     */
    public static HttpListener bind(
            Loops loops, HostPort listen, Optional<WebTls> tls, Handler handler) {
        int connectionsMax = connectionsMax(Runtime.getRuntime().maxMemory());
        ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverChannel())
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        if (connections.size() >= connectionsMax) {
                                            channel.close();
                                            return;
                                        }
                                        connections.add(channel);
                                        tls.ifPresent(web -> secure(channel, web, loops));
                                        channel.pipeline()
                                                .addLast(
                                                        new HttpServerCodec(
                                                                new HttpDecoderConfig()
                                                                        .setMaxInitialLineLength(
                                                                                LINE_BYTES_MAX)
                                                                        .setMaxHeaderSize(
                                                                                HEADER_BYTES_MAX)
                                                                        .setMaxChunkSize(
                                                                                PIECE_BYTES_MAX)))
                                                .addLast(new FlowControlHandler())
                                                .addLast(new HttpConnection(handler, threads));
                                    }
                                })
                        .bind(listen.host(), listen.port())
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            threads.close();
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "listen on",
                    listen.toString(),
                    String.valueOf(bound.cause().getMessage()),
                    bound.cause());
        }
        return new HttpListener(bound.channel(), connections, threads);
    }

    /** Whoever comes may send so much before anybody looks who he is: half of the heap for that. */
    static int connectionsMax(long heap) {
        return (int) Math.min(CONNECTIONS_MAX, heap / 2 / CONNECTION_BYTES);
    }

    private static void secure(SocketChannel channel, WebTls web, Loops loops) {
        SSLEngine engine = web.context().createSSLEngine();
        engine.setUseClientMode(false);
        engine.setEnabledProtocols(new String[] {"TLSv1.3"});
        engine.setWantClientAuth(true);
        channel.pipeline().addLast(new SslHandler(engine, loops.handshakes()));
    }

    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
        threads.shutdownNow();
    }
}
