package org.gridfarm.client.cli.gateway;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.ShownToken;
import org.gridfarm.client.cli.gateway.call.Visitor;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Who asks. A gateway with the role {@code @gateway} takes everybody for whom the grid-mapfile says
 * his certificate is; who shows a token comes by that alone, and whose it is and what it is good
 * for the metaserver says. One that a person runs acts as that person, for whoever has a
 * certificate of a name that is allowed, or the token of this gateway, which is none of the farm's;
 * for everybody where that was asked for and only this machine can ask. Thread-safe.
 */
final class Door {
    private static final String SCHEME = "Bearer";
    private static final Pattern BEARER = Pattern.compile("(?i)" + SCHEME + "(\\s|$)");

    /** As RFC 6750 has it. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Optional<WebTls> tls;
    private final @Nullable Current<GridMap> people;
    private final Set<String> names;
    private final @Nullable String token;
    private final boolean open;

    /**
     * @param people null: the gateway acts as who runs it, for these names and who has the token
     */
    Door(
            Optional<WebTls> tls,
            @Nullable Current<GridMap> people,
            Set<String> names,
            @Nullable String token,
            boolean open) {
        this.tls = tls;
        this.people = people;
        this.names = Set.copyOf(names);
        this.token = token;
        this.open = open;
    }

    /** NOT_AUTHENTICATED who proves nothing, NOT_PERMITTED whom nobody lets in. */
    Visitor visitor(Request request) {
        requireNoOtherSite(request);
        Optional<String> dn =
                tls.isPresent() ? request.tls().flatMap(tls.get()::nameOf) : Optional.empty();
        if (request.parameters().has("delegation")) {
            throw Parameters.wrong(
                    "delegation",
                    "there are no delegation tokens: use a certificate or proxy, or a bearer token in the header Authorization");
        }
        if (people == null) return asked(request, own(request, dn));
        // By the token alone: a certificate beside it would widen what it was narrowed to.
        return shown(request)
                .map(text -> Visitor.by(token(text)))
                .orElseGet(() -> asked(request, mapped(dn, people)));
    }

    /** The visitor as the account that he asks to be; NOT_PERMITTED where that is not his. */
    static Visitor asked(Request request, Visitor visitor) {
        Parameters parameters = request.parameters();
        Optional<String> proxied = parameters.text("doas");
        if (proxied.isPresent() && !visitor.accounts().contains(proxied.get())) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "act as",
                    proxied.get(),
                    "doas names an account that is not yours");
        }
        return proxied.or(() -> parameters.text("user.name")).map(visitor::as).orElse(visitor);
    }

    /** Pages of other sites may make a browser ask, with the certificate that it has. */
    private void requireNoOtherSite(Request request) {
        String host = request.header(HttpHeaderNames.HOST).orElse("");
        Optional<String> origin = request.header(HttpHeaderNames.ORIGIN);
        String site = request.header("Sec-Fetch-Site").orElse("none");
        boolean foreign =
                origin.isPresent() && !origin.get().endsWith("://" + host)
                        || !Set.of("none", "same-origin").contains(site);
        // A site that calls itself by another name for this address is let see nothing.
        boolean disguised = open && !LOOPBACK.contains(host.replaceFirst(":[0-9]+$", ""));
        if (foreign || disguised) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "enter",
                    origin.orElse(host),
                    "a page of another site may not ask here");
        }
    }

    private Visitor mapped(Optional<String> dn, Current<GridMap> people) {
        String name =
                dn.orElseThrow(() ->
                        new FarmException(
                                ErrorKind.NOT_AUTHENTICATED,
                                "enter",
                                "",
                                "show the certificate or proxy that the farm knows you by (curl --cert FILE), or a bearer token"));
        Identity identity =
                people.find(map -> map.lookUp(name))
                        .filter(found -> found.role().isPerson())
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.NOT_PERMITTED,
                                        "enter",
                                        name,
                                        "the grid-mapfile gives this name to nobody"));
        return new Visitor(name, identity.user(), identity.users());
    }

    private Visitor own(Request request, Optional<String> dn) {
        if (dn.isPresent() && names.contains(dn.get())) return here(dn.get());
        Optional<String> shown = shown(request);
        if (shown.isPresent() && isToken(shown.get())) return here("token");
        if (open) return here("anyone");
        throw new FarmException(
                dn.isPresent() ? ErrorKind.NOT_PERMITTED : ErrorKind.NOT_AUTHENTICATED,
                "enter",
                dn.orElse(""),
                shown.isPresent()
                        ? "that is not the token"
                        : "this gateway is its user's own: show his certificate, or the token as Authorization: Bearer");
    }

    /** What the header says. */
    private static Optional<String> shown(Request request) {
        List<String> headers = request.head().headers().getAll(HttpHeaderNames.AUTHORIZATION);
        if (headers.size() > 1) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "header",
                    HttpHeaderNames.AUTHORIZATION.toString(),
                    "stands " + headers.size() + " times");
        }
        return headers.stream()
                .map(String::strip)
                .filter(header -> BEARER.matcher(header).lookingAt())
                .map(header -> header.substring(SCHEME.length()).strip())
                .findFirst();
    }

    /** What cannot be one no metaserver is asked about. */
    private static ShownToken token(String text) {
        if (!TOKEN.matcher(text).matches()) {
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED, "enter", "", "what follows Bearer is no token");
        }
        return new ShownToken(text);
    }

    private static Visitor here(String name) {
        return new Visitor(name, "", List.of());
    }

    private boolean isToken(String shown) {
        return token != null
                && MessageDigest.isEqual(
                        token.getBytes(StandardCharsets.UTF_8),
                        shown.getBytes(StandardCharsets.UTF_8));
    }
}
