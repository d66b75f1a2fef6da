package org.gridfarm.protocol.auth.tls;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A server that greets whom it authenticated by name, and clients that wait for the greeting. */
final class Line implements AutoCloseable {
    static final String HOST = "127.0.0.1";
    private static final int WAIT_SECONDS = 20;

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final Channel listening;

    Line(TlsContexts server) throws InterruptedException {
        listening =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        server.secureServer(channel.pipeline());
                                        channel.pipeline().addLast(new Greeter());
                                    }
                                })
                        .bind(HOST, 0)
                        .sync()
                        .channel();
    }

    int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** What the server said, or the failure that ended the connection before it said anything. */
    Greeted greeting(TlsContexts client, ExpectedPeer expected) throws Exception {
        CompletableFuture<String> said = new CompletableFuture<>();
        Channel channel =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .handler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel made) {
                                        client.secureClient(
                                                made.pipeline(), HOST, port(), expected);
                                        made.pipeline().addLast(new Listener(said));
                                    }
                                })
                        .connect(HOST, port())
                        .sync()
                        .channel();
        return new Greeted(channel, said.get(WAIT_SECONDS, TimeUnit.SECONDS));
    }

    record Greeted(Channel channel, String text) {}

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static final class Greeter extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof AuthenticatedPeer peer) {
                say(context, "welcome " + peer);
            } else if (event instanceof PeerRefused refused) {
                say(context, "refused " + refused.reason().getMessage());
            }
        }

        private static void say(ChannelHandlerContext context, String text) {
            context.writeAndFlush(Unpooled.copiedBuffer(text + "\n", StandardCharsets.UTF_8));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // a refused handshake: the client's side tells the story
        }
    }

    private static final class Listener extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<String> said;
        private final StringBuilder text = new StringBuilder();

        Listener(CompletableFuture<String> said) {
            this.said = said;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            text.append(bytes.toString(StandardCharsets.UTF_8));
            bytes.release();
            if (text.indexOf("\n") >= 0) {
                said.complete(text.toString().strip());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof PeerRefused refused) {
                said.completeExceptionally(refused.reason());
            } else if (event instanceof SslHandshakeCompletionEvent completion
                    && !completion.isSuccess()) {
                said.completeExceptionally(completion.cause());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            said.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            said.completeExceptionally(new java.io.EOFException("closed without a word"));
        }
    }
}
