package org.gridfarm.protocol.auth.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Judges the peer of one connection after the handshake, resumed ones included, and again while the
 * connection lives: every minute, and when its first certificate runs out. So a revocation, a
 * change of the grid-mapfile or the end of a proxy reaches open connections.
 *
 * <p>Owned by the channel's event loop.
 */
final class PeerCheck extends ChannelInboundHandlerAdapter {
    static final Duration RECHECK_INTERVAL = Duration.ofSeconds(60);
    private static final Logger log = LoggerFactory.getLogger(PeerCheck.class);

    private final TlsContexts contexts;
    private final Part part;
    private final ExpectedPeer expected;
    private final Clock clock;
    private List<X509Certificate> certificates = List.of();
    private @Nullable AuthenticatedPeer peer;
    private boolean refused;
    private @Nullable Future<?> recheck;

    PeerCheck(TlsContexts contexts, Part part, ExpectedPeer expected, Clock clock) {
        this.contexts = contexts;
        this.part = part;
        this.expected = expected;
        this.clock = clock;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        context.fireUserEventTriggered(event);
        if (event instanceof SslHandshakeCompletionEvent completion && completion.isSuccess()) {
            judge(context);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (peer == null || refused) {
            ReferenceCountUtil.release(message); // nobody's bytes
            return;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        stop();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stop();
        context.fireChannelInactive();
    }

    private void judge(ChannelHandlerContext context) {
        try {
            certificates =
                    TlsContexts.chainOf(
                            context.pipeline().get(SslHandler.class).engine().getSession());
            AuthenticatedPeer found = check();
            peer = found;
            context.channel().attr(TlsContexts.PEER).set(found);
            scheduleRecheck(context, found);
            context.fireUserEventTriggered(found);
        } catch (FarmException e) {
            refuse(context, e);
        } catch (RuntimeException e) {
            refuse(
                    context,
                    new FarmException(
                            ErrorKind.NOT_AUTHENTICATED,
                            "authenticate",
                            "",
                            "unreadable chain",
                            e));
        }
    }

    private void judgeAgain(ChannelHandlerContext context) {
        AuthenticatedPeer before = peer;
        if (refused || before == null || !context.channel().isActive()) {
            return;
        }
        try {
            AuthenticatedPeer now = check();
            if (!now.mapped().equals(before.mapped())) {
                throw new FarmException(
                        ErrorKind.NOT_AUTHENTICATED,
                        "authenticate",
                        now.chain().dn(),
                        "the grid-mapfile changed");
            }
            scheduleRecheck(context, now);
        } catch (FarmException e) {
            refuse(context, e);
        } catch (RuntimeException e) { // whom nobody can judge any more is nobody's peer
            log.error(
                    "{}: the check of an open connection failed",
                    context.channel().remoteAddress(),
                    e);
            refuse(
                    context,
                    new FarmException(
                            ErrorKind.NOT_AUTHENTICATED,
                            "authenticate",
                            before.chain().dn(),
                            "the check failed",
                            e));
        }
    }

    private AuthenticatedPeer check() {
        AuthenticatedPeer found = contexts.peerOf(certificates, part);
        expected.require(found);
        return found;
    }

    private void scheduleRecheck(ChannelHandlerContext context, AuthenticatedPeer found) {
        Instant now = clock.now();
        Duration left =
                Duration.between(now, found.chain().notAfter())
                        .plusMillis(1); // then it has run out
        Duration wait = left.compareTo(RECHECK_INTERVAL) < 0 ? left : RECHECK_INTERVAL;
        recheck =
                context.executor()
                        .schedule(
                                () -> judgeAgain(context), wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void refuse(ChannelHandlerContext context, FarmException reason) {
        refused = true;
        stop();
        log.warn("{} refused: {}", context.channel().remoteAddress(), reason.getMessage());
        context.fireUserEventTriggered(new PeerRefused(reason));
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void stop() {
        if (recheck != null) {
            recheck.cancel(false);
        }
    }
}
