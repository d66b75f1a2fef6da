package org.gridfarm.protocol.observe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;

import org.gridfarm.protocol.observe.HttpEndpoint.Page;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Answers GET and HEAD with one of a few pages. */
final class HttpPages extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger log = LoggerFactory.getLogger(HttpPages.class);

    private final Map<String, Supplier<Page>> pages;

    HttpPages(Map<String, Supplier<Page>> pages) {
        this.pages = pages;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Page page = page(request);
        boolean alive = HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
        ByteBuf body = Unpooled.copiedBuffer(page.text(), StandardCharsets.UTF_8);
        int length = body.readableBytes();
        if (request.method().equals(HttpMethod.HEAD)) body.clear();
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(page.status()), body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, page.type())
                .set(HttpHeaderNames.CONTENT_LENGTH, length)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        if (page.status() == 405) response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        HttpUtil.setKeepAlive(response, alive);
        ChannelFuture written = context.writeAndFlush(response);
        if (!alive) written.addListener(ChannelFutureListener.CLOSE);
    }

    private Page page(FullHttpRequest request) {
        if (request.decoderResult().isFailure())
            return text(400, "not an HTTP request that is understood here");
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD))
            return text(405, "only GET and HEAD");
        String path = new QueryStringDecoder(request.uri()).path();
        Supplier<Page> page = pages.get(path);
        if (page == null)
            return text(404, "there are " + String.join(" ", new TreeSet<>(pages.keySet())));
        try {
            return page.get();
        } catch (RuntimeException e) {
            log.error("{} failed", path, e);
            return text(500, "internal error, see the log");
        }
    }

    private static Page text(int status, String text) {
        return new Page(status, "text/plain; charset=utf-8", text + "\n");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.debug("{}: {}", context.channel().remoteAddress(), cause.toString());
        context.close();
    }
}
