package org.gridfarm.client.cli.gateway.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/** Requests as they come out of a connection. */
public final class Requests {
    private Requests() {}

    public static Request of(
            String method, String address, Map<String, String> headers, byte[] content) {
        HttpRequest head =
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), address);
        headers.forEach(head.headers()::set);
        return of(head, content);
    }

    public static Request of(HttpRequest head, byte[] content) {
        Body body = new Body(of -> {});
        body.arrives(Unpooled.wrappedBuffer(content), true);
        return Request.of(head, body, new InetSocketAddress("127.0.0.1", 1), Optional.empty());
    }
}
