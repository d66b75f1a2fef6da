package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.tls.PeerRefused;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ActAsRequest;
import org.gridfarm.protocol.wire.Failure;
import org.gridfarm.protocol.wire.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The first moments of a dialled connection: TLS, is it whom we meant, its WELCOME; then a {@link
 * Connection} takes over.
 */
final class ClientGreeting extends ChannelInboundHandlerAdapter implements FrameSink {
    private final HostPort address;
    private final ExpectedServer expected;
    private final ChannelSecurity security;
    private final ConnectionSettings settings;
    private final String account;
    private final @Nullable OwnLogIn logIn;
    private final CompletableFuture<Peer> welcomed;
    private final FrameReader reader = new FrameReader();
    private @Nullable ChannelHandlerContext context;
    private @Nullable Identity identity;
    private @Nullable Future<?> impatience;

    ClientGreeting(
            HostPort address,
            ExpectedServer expected,
            ChannelSecurity security,
            ConnectionSettings settings,
            String account,
            @Nullable OwnLogIn logIn,
            CompletableFuture<Peer> welcomed) {
        this.account = account;
        this.logIn = logIn;
        this.address = address;
        this.expected = expected;
        this.security = security;
        this.identity = security.everybody();
        this.settings = settings;
        this.welcomed = welcomed;
        reader.redirect(this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext ignored) {
        impatience =
                ignored.executor()
                        .schedule(
                                () ->
                                        fail(
                                                new FarmException(
                                                        ErrorKind.TIMED_OUT,
                                                        "connect",
                                                        address.toString(),
                                                        "no welcome within "
                                                                + RpcLimits.HANDSHAKE_MAX.toMillis()
                                                                + " ms")),
                                RpcLimits.HANDSHAKE_MAX.toMillis(),
                                TimeUnit.MILLISECONDS);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ignored, Object event) {
        if (event instanceof AuthenticatedPeer peer) identity = expected.identity(peer);
        else if (event instanceof PeerRefused refusal)
            fail(refusal.reason().about("connect", address.toString()));
        else if (event instanceof SslHandshakeCompletionEvent done && !done.isSuccess())
            fail(NetworkTrouble.toFailure(done.cause(), address));
    }

    @Override
    public void channelRead(ChannelHandlerContext ignored, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            reader.read(ignored.alloc(), in);
        } catch (FarmException e) {
            fail(e.about("connect", address.toString()));
        } finally {
            in.release();
        }
    }

    @Override
    public void frame(
            byte type,
            long call,
            int method,
            int deadlineMillis,
            ByteBuf in,
            int messageAt,
            int messageBytes,
            int end) {
        try {
            if (type == FrameType.WELCOME) {
                welcome(Messages.parse(Welcome.parser(), in, messageAt, messageBytes));
            } else if (type == FrameType.FAILURE && call == 0) {
                Failure failure = Messages.parse(Failure.parser(), in, messageAt, messageBytes);
                fail(InboundExchange.decode(failure).about("connect", address.toString()));
            } else {
                throw FrameReader.violation("a frame of type " + type + " instead of a welcome");
            }
        } catch (IOException e) {
            throw FrameReader.violation("an unreadable welcome: " + e.getMessage());
        }
    }

    private void welcome(Welcome welcome) {
        ChannelHandlerContext here = context;
        Identity proved = identity;
        if (here == null || proved == null)
            throw FrameReader.violation("a welcome before the handshake");
        if (welcome.getProtocolMin() > RpcLimits.PROTOCOL_MAX
                || welcome.getProtocolMax() < RpcLimits.PROTOCOL_MIN) {
            fail(
                    new FarmException(
                            ErrorKind.WRONG_VERSION,
                            "connect",
                            address.toString(),
                            String.format(
                                    "it speaks protocol %d to %d, this program %d to %d",
                                    welcome.getProtocolMin(),
                                    welcome.getProtocolMax(),
                                    RpcLimits.PROTOCOL_MIN,
                                    RpcLimits.PROTOCOL_MAX)));
            return;
        }
        Channel channel = here.channel();
        if (impatience != null) impatience.cancel(false);
        Connection connection =
                new Connection(channel, settings, false, address.toString(), proved, reader);
        if (welcome.getTakesTraces()) connection.traces().areTaken();
        here.pipeline().replace(this, "rpc", connection);
        connection.begin();
        logIn(connection, welcome)
                .thenCompose(ignored -> actAs(connection))
                .whenComplete((ignored, thrown) -> {
                    if (thrown == null) {
                        finish(connection);
                    } else {
                        welcomed.completeExceptionally(
                                FarmException.of(thrown, "connect", address.toString()));
                        connection.close();
                    }
                });
    }

    private CompletableFuture<?> logIn(Connection connection, Welcome welcome) {
        if (logIn == null) return CompletableFuture.completedFuture(null);
        if (welcome.getChallenge().isEmpty()) {
            return CompletableFuture.failedFuture(
                    new FarmException(
                            ErrorKind.NOT_AUTHENTICATED,
                            "log in",
                            address.toString(),
                            "this server lets nobody in without a certificate"));
        }
        try {
            return LogIn.to(connection, welcome.getChallenge().toByteArray(), logIn);
        } catch (FarmException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<?> actAs(Connection connection) {
        return account.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : connection.callPlain(
                        ActAs.METHOD,
                        ActAsRequest.newBuilder().setAccount(account).build(),
                        RpcLimits.HANDSHAKE_MAX);
    }

    private void finish(Connection connection) {
        if (!welcomed.complete(connection)) connection.close(); // the dialler has given up
    }

    @Override
    public void channelInactive(ChannelHandlerContext ignored) {
        fail(
                new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "connect",
                        address.toString(),
                        "closed before its welcome"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
        fail(NetworkTrouble.toFailure(cause, address));
    }

    private void fail(FarmException why) {
        if (impatience != null) impatience.cancel(false);
        reader.close();
        if (context != null) context.close();
        welcomed.completeExceptionally(security.explained(why));
    }
}
