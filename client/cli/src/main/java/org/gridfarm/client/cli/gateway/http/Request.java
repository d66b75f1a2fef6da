package org.gridfarm.client.cli.gateway.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;

import javax.net.ssl.SSLSession;

/**
 * What a client asks for.
 *
 * @param path as it came, without the query; not decoded
 * @param tls the session in which it came; empty: in the clear
 */
public record Request(
        String method,
        String path,
        Parameters parameters,
        HttpRequest head,
        Body body,
        InetSocketAddress from,
        Optional<SSLSession> tls) {
    static Request of(
            HttpRequest head, Body body, InetSocketAddress from, Optional<SSLSession> tls) {
        String uri = head.uri();
        if (uri.startsWith("http://") || uri.startsWith("https://")) { // as to a proxy
            int slash = uri.indexOf('/', uri.indexOf("//") + 2);
            uri = slash < 0 ? "/" : uri.substring(slash);
        }
        int mark = uri.indexOf('?');
        String path = mark < 0 ? uri : uri.substring(0, mark);
        return new Request(
                head.method().name(),
                path,
                Parameters.of(mark < 0 ? null : uri.substring(mark + 1)),
                head,
                body,
                from,
                tls);
    }

    public Optional<String> header(CharSequence name) {
        return Optional.ofNullable(head.headers().get(name)).map(String::strip);
    }

    /** Of the body, where the client said it. */
    public OptionalLong length() {
        return HttpUtil.isContentLengthSet(head)
                ? OptionalLong.of(HttpUtil.getContentLength(head))
                : OptionalLong.empty();
    }

    /** Whether there is a body of at least a byte, as far as the head tells. */
    public boolean hasBody() {
        return HttpUtil.isTransferEncodingChunked(head) || length().orElse(0) > 0;
    }

    /** Scheme, host and port as the client knows them; no slash at the end. */
    public String origin() {
        String host = header(HttpHeaderNames.HOST).orElse("");
        if (!host.matches("[A-Za-z0-9._:\\[\\]-]+")) {
            throw new FarmException(
                    ErrorKind.INVALID, "header", "Host", "names no host: '" + host + "'");
        }
        return (tls.isPresent() ? "https://" : "http://") + host;
    }
}
