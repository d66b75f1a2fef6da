package org.gridfarm.protocol.rpc;

import com.google.protobuf.ByteString;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.tls.PeerRefused;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Welcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The first moments of an accepted connection: TLS, who is it, WELCOME or FAILURE; then a {@link
 * Connection} takes over.
 */
final class ServerGreeting extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(ServerGreeting.class);

    private final RpcServerConfig config;
    private final ConnectionSettings settings;
    private final Admissions admissions;
    private final String host;
    private final FrameRoom room;
    private final RequestRoom requests;
    private @Nullable Future<?> impatience;

    /**
     * @param host that the handshake has been counted for
     */
    ServerGreeting(
            RpcServerConfig config,
            ConnectionSettings settings,
            Admissions admissions,
            String host,
            FrameRoom room,
            RequestRoom requests) {
        this.config = config;
        this.settings = settings;
        this.admissions = admissions;
        this.host = host;
        this.room = room;
        this.requests = requests;
    }

    /** Also when the channel was closed before anything was said. */
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        admissions.over(host);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Identity everybody = config.security().everybody();
        if (everybody != null) {
            greet(context, everybody);
            return;
        }
        impatience =
                context.executor()
                        .schedule(
                                () -> context.close(),
                                RpcLimits.HANDSHAKE_MAX.toMillis(),
                                TimeUnit.MILLISECONDS);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof AuthenticatedPeer peer) {
            greet(context, peer.identity());
        } else if (event instanceof PeerRefused refusal) {
            Audit.stranger(address(context.channel()), refusal.reason());
            part(context.channel(), refusal.reason());
        } else if (event instanceof SslHandshakeCompletionEvent done && !done.isSuccess()) {
            String why = NetworkTrouble.reason(done.cause());
            log.info("{} refused: {}", address(context.channel()), why);
            Audit.stranger(
                    address(context.channel()),
                    new FarmException(ErrorKind.NOT_AUTHENTICATED, "handshake", "", why));
            context.close();
        }
    }

    private void greet(ChannelHandlerContext context, Identity identity) {
        if (impatience != null) impatience.cancel(false);
        FarmException full = admissions.enters(identity);
        if (full != null) {
            log.info("{} refused: {}", address(context.channel()), full.getMessage());
            part(context.channel(), full);
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        String address = address(context.channel()).toString();
        Connection connection =
                new Connection(
                        context.channel(), settings, true, address, identity, new FrameReader());
        connection.guard(room, requests);
        connection.whenClosed(() -> admissions.leaves(identity));
        boolean logsIn = identity.role() == Role.GUEST && config.security().logIns().areAny();
        context.pipeline().replace(this, "rpc", connection);
        connection.begin();
        if (config.security().everybody() == null) Audit.mapped(connection, config.serverName());
        ByteString challenge = logsIn ? LogIn.random() : ByteString.EMPTY;
        connection.whom().challenge(challenge.toByteArray());
        connection.welcome(
                Welcome.newBuilder()
                        .setProtocolMin(RpcLimits.PROTOCOL_MIN)
                        .setProtocolMax(RpcLimits.PROTOCOL_MAX)
                        .setServerName(config.serverName())
                        .setAuthenticatedAs(identity.toString())
                        .setTime(System.currentTimeMillis())
                        .setTakesTraces(true)
                        .setChallenge(challenge)
                        .build());
        if (logsIn) expectLogIn(context, connection);
        config.listener().opened(connection);
        connection.whenClosed(() -> config.listener().closed(connection));
    }

    /** A guest has come to log in; who does not is in others' way. */
    private static void expectLogIn(ChannelHandlerContext context, Connection connection) {
        Future<?> patience =
                context.channel()
                        .eventLoop()
                        .schedule(
                                () -> {
                                    if (connection.identity().role() == Role.GUEST) {
                                        connection.close("a guest that has not logged in");
                                    }
                                },
                                RpcLimits.HANDSHAKE_MAX.toMillis(),
                                TimeUnit.MILLISECONDS);
        connection.whenClosed(() -> patience.cancel(false));
    }

    /**
     * The one message that may still be written; the peer check closes the connection behind it.
     */
    private static void part(Channel channel, FarmException why) {
        FrameWriter writer = new FrameWriter(channel, true);
        writer.write(FrameType.FAILURE, 0, 0, 0, InboundExchange.encode(why));
        writer.flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // After the connection was refused or has failed, nothing that comes matters any more.
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.debug("{}: {}", address(context.channel()), NetworkTrouble.reason(cause));
        context.close();
    }

    private static HostPort address(Channel channel) {
        return HostPort.of(channel.remoteAddress() instanceof InetSocketAddress inet ? inet : null);
    }
}
