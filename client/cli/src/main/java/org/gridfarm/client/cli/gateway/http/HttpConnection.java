package org.gridfarm.client.cli.gateway.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * One connection: one request after the other, each answered on a virtual thread. Nothing is read
 * that nobody asked for, so that who sends fast waits in his own socket.
 *
 * <p>Owned by the channel's event loop.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
    /** From the end of an answer until the whole head of the next request. */
    private static final Duration HEAD_MAX = Duration.ofSeconds(75);

    /** What is left of a refused body is read, for the client to come to the answer. */
    private static final long LINGER_BYTES_MAX = 8 << 20;

    private static final Duration LINGER_MAX = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);

    private final Handler handler;
    private final Executor threads;
    private @Nullable Body body; // of the request at work
    private boolean answered; // it is, and the rest of its body is read only to be dropped
    private boolean keeps; // and another request may follow
    private long lingered;
    private boolean wanted; // a piece was asked for and has not come
    private volatile boolean continues; // the client waits to be told that it may send the body
    private @Nullable Future<?> deadline;

    HttpConnection(Handler handler, Executor threads) {
        this.handler = handler;
        this.threads = threads;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        awaitHead(context);
        want(context);
    }

    /** One piece of a request, be it there already or not; whoever else wants one gets the same. */
    private void want(ChannelHandlerContext context) {
        if (wanted) return;
        wanted = true;
        context.read();
    }

    /** What was read was no whole piece, or only of the handshake: there has to be more. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (wanted) context.read();
    }

    private void awaitHead(ChannelHandlerContext context) {
        closeAfter(context, HEAD_MAX);
    }

    private void closeAfter(ChannelHandlerContext context, Duration most) {
        cancelDeadline();
        deadline =
                context.executor()
                        .schedule(() -> context.close(), most.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void cancelDeadline() {
        if (deadline != null) deadline.cancel(false);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        wanted = false;
        try {
            if (message instanceof HttpRequest head) {
                begins(context, head);
            }
            if (message instanceof HttpContent content) {
                goesOn(context, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void begins(ChannelHandlerContext context, HttpRequest head) {
        cancelDeadline();
        if (head.decoderResult().isFailure()) {
            refuse(
                    context,
                    HttpResponseStatus.BAD_REQUEST,
                    "not an HTTP request that is understood here");
            return;
        }
        Channel channel = context.channel();
        Body begun = new Body(of -> askForMore(context, of));
        body = begun;
        answered = false;
        lingered = 0;
        continues = HttpUtil.is100ContinueExpected(head);
        SslHandler tls = context.pipeline().get(SslHandler.class);
        Answer answer = new Answer(channel, head, () -> continues);
        InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
        Runnable work =
                () -> {
                    try {
                        Request request =
                                Request.of(
                                        head,
                                        begun,
                                        from,
                                        Optional.ofNullable(tls)
                                                .map(handler -> handler.engine().getSession()));
                        handler.answer(request, answer);
                    } catch (FarmException e) { // before anybody looked at it
                        tell(answer, 400, String.valueOf(e.getMessage()));
                    } catch (IOException e) {
                        log.debug("{}: {}", from, e.toString());
                    } catch (RuntimeException | Error e) {
                        // Not the query: people put into it what is nobody's business.
                        log.error(
                                "{} {} from {}",
                                head.method(),
                                head.uri().replaceFirst("\\?.*", ""),
                                from,
                                e);
                        tell(
                                answer,
                                500,
                                "a defect of the gateway: its log says more ("
                                        + e.getClass().getSimpleName()
                                        + ")");
                    } finally {
                        begun.giveUp();
                        context.executor().execute(() -> ended(context, begun, answer));
                    }
                };
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            refuse(context, HttpResponseStatus.SERVICE_UNAVAILABLE, "the gateway ends");
        }
        // The codec tells the end of a request without a body at once; one with a body waits.
        if (!HttpUtil.isTransferEncodingChunked(head) && HttpUtil.getContentLength(head, 0L) == 0) {
            want(context);
        }
    }

    private static void tell(Answer answer, int status, String why) {
        if (answer.isBegun()) return;
        try {
            answer.text(status, why);
        } catch (IOException e) {
            log.debug("nobody is there to be told", e);
        }
    }

    /** The end of the body may have come meanwhile: what is read next is another request's. */
    private void askForMore(ChannelHandlerContext context, Body of) {
        context.executor()
                .execute(() -> {
                    if (body != of || of.isWhole()) return;
                    if (continues) {
                        continues = false;
                        context.writeAndFlush(
                                new DefaultFullHttpResponse(
                                        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
                    }
                    want(context);
                });
    }

    private void goesOn(ChannelHandlerContext context, HttpContent content) {
        Body of = body;
        if (of == null) {
            drop(context, content);
            return;
        }
        if (content.decoderResult().isFailure()) {
            of.breaks(
                    "the body is not as HTTP has it: "
                            + content.decoderResult().cause().getMessage());
            return;
        }
        boolean last = content instanceof LastHttpContent;
        of.arrives(content.content().retain(), last);
        if (last) {
            if (answered) next(context);
        } else if (answered) {
            drop(context, content);
        }
    }

    private void drop(ChannelHandlerContext context, HttpContent content) {
        lingered += content.content().readableBytes();
        if (lingered > LINGER_BYTES_MAX) context.close();
        else want(context);
    }

    /** The request was answered, or never will be. */
    private void ended(ChannelHandlerContext context, Body of, Answer answer) {
        if (body != of || !context.channel().isActive()) return;
        if (!answer.isWhole()) { // the client shall not take a part for all
            context.close();
            return;
        }
        answered = true;
        keeps = !answer.isLast();
        if (of.isWhole()) {
            next(context);
        } else {
            linger(context);
        }
    }

    /** To close while a client still sends would take the answer from it. */
    private void linger(ChannelHandlerContext context) {
        closeAfter(context, LINGER_MAX);
        want(context);
    }

    private void next(ChannelHandlerContext context) {
        body = null;
        if (!keeps) {
            context.close();
            return;
        }
        awaitHead(context);
        want(context);
    }

    private void refuse(ChannelHandlerContext context, HttpResponseStatus status, String why) {
        body = null;
        DefaultFullHttpResponse refusal =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        status,
                        io.netty.buffer.Unpooled.copiedBuffer(
                                why + "\n", java.nio.charset.StandardCharsets.UTF_8));
        refusal.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, refusal.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, "close");
        context.writeAndFlush(refusal);
        linger(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        cancelDeadline();
        if (body != null) body.breaks("the connection ended before the body did");
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.debug("{}: {}", context.channel().remoteAddress(), cause.toString());
        if (body != null) body.breaks(String.valueOf(cause.getMessage()));
        context.close();
    }
}
