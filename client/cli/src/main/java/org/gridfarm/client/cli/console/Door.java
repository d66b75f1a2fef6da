package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsExchange;

import org.gridfarm.protocol.auth.tls.WebTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * Where every request comes in: who it is, whether the browser was sent by another site, and the
 * headers of every answer. What is behind it hears of nobody who is not let in.
 */
final class Door implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Door.class);

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self';"
                    + " base-uri 'none'; frame-ancestors 'none'";

    /** What a browser calls this machine when it means this machine. */
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

    private final Admission admission;
    private final Optional<WebTls> tls;
    private final boolean open;
    private final String scheme;
    private final Pages pages;

    Door(Admission admission, Optional<WebTls> tls, boolean open, String scheme, Pages pages) {
        this.admission = admission;
        this.tls = tls;
        this.open = open;
        this.scheme = scheme;
        this.pages = pages;
    }

    @Override
    public void handle(HttpExchange exchange) {
        try (exchange) {
            secure(exchange.getResponseHeaders());
            answer(exchange);
        } catch (IOException e) {
            LOG.debug("{}: {}", exchange.getRemoteAddress(), e.toString()); // gone away
        } catch (RuntimeException e) {
            LOG.error("{} failed", exchange.getRequestURI().getPath(), e);
        }
    }

    private static void secure(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cache-Control", "no-store");
    }

    private void answer(HttpExchange exchange) throws IOException {
        Asked asked = Asked.of(exchange.getRequestURI());
        boolean posts = exchange.getRequestMethod().equals("POST");
        if (!posts && !exchange.getRequestMethod().equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET, POST");
            Reply.text(exchange, 405, "only GET and POST");
            return;
        }
        // A site that calls itself by another name for this address is let see nothing.
        if (open && !LOOPBACK.contains(hostName(exchange))) {
            Reply.text(exchange, 421, "this console answers at 127.0.0.1 and localhost only");
            return;
        }
        if (posts && !isFromHere(exchange)) {
            Audit.refused("anyone", exchange, asked.path(), "sent by another site");
            Reply.text(exchange, 403, "sent by another site");
            return;
        }
        if (Assets.serves(asked.path())) {
            Assets.send(exchange, asked.path());
            return;
        }
        if (asked.path().equals("/login") && posts) {
            login(exchange, Asked.decoded(Reply.form(exchange)).getOrDefault("token", ""), "/");
            return;
        }
        if (!posts && asked.parameters().containsKey("token")) {
            login(exchange, asked.text("token"), asked.path());
            return;
        }
        Optional<Viewer> viewer =
                admission.viewer(certificate(exchange), cookie(exchange), bearer(exchange));
        if (viewer.isEmpty()) {
            Reply.html(exchange, 401, Frame.login("Who are you?"));
            return;
        }
        pages.answer(exchange, asked, viewer.get());
    }

    /** The token leaves the address line, and so the history, at once. */
    private void login(HttpExchange exchange, String token, String then) throws IOException {
        if (!admission.isToken(token)) {
            Audit.refused("anyone", exchange, "login", "wrong token");
            Reply.html(exchange, 401, Frame.login("That is not the token."));
            return;
        }
        Audit.done("token", exchange, "login", "");
        exchange.getResponseHeaders()
                .set(
                        "Set-Cookie",
                        Admission.COOKIE
                                + "="
                                + admission.admit()
                                + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
                                + Admission.COOKIE_LIFE.toSeconds()
                                + (scheme.equals("https") ? "; Secure" : ""));
        // What begins so a browser takes for another host.
        Reply.redirect(exchange, then.matches("/[/\\\\].*") ? "/" : then);
    }

    private Optional<String> certificate(HttpExchange exchange) {
        return tls.isPresent() && exchange instanceof HttpsExchange secured
                ? tls.get().nameOf(secured.getSSLSession())
                : Optional.empty();
    }

    private static @Nullable String cookie(HttpExchange exchange) {
        for (String line :
                exchange.getRequestHeaders().getOrDefault("Cookie", java.util.List.of())) {
            for (String cookie : line.split(";")) {
                String[] pair = cookie.strip().split("=", 2);
                if (pair.length == 2 && pair[0].equals(Admission.COOKIE)) return pair[1];
            }
        }
        return null;
    }

    private static @Nullable String bearer(HttpExchange exchange) {
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        return header != null && header.startsWith("Bearer ")
                ? header.substring("Bearer ".length()).strip()
                : null;
    }

    private static String hostName(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        return host == null ? "" : host.replaceFirst(":[0-9]+$", "");
    }

    /** Browsers name the site that a form came from; what is no browser names none. */
    private boolean isFromHere(HttpExchange exchange) {
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        String host = exchange.getRequestHeaders().getFirst("Host");
        return origin == null || origin.equals(scheme + "://" + host);
    }
}
