package org.gridfarm.client.cli.gateway;

import io.netty.handler.codec.http.HttpHeaderNames;

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

/**
 * Who asks. A gateway with the role {@code @gateway} takes everybody for whom the grid-mapfile says
 * his certificate is. One that a person runs acts as that person, for whoever has a certificate of
 * a name that is allowed, or the token; for everybody where that was asked for and only this
 * machine can ask. Thread-safe.
 */
final class Door {
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
        Visitor visitor = people == null ? own(request, dn) : mapped(dn, people);
        Parameters parameters = request.parameters();
        Optional<String> proxied = parameters.text("doas");
        if (proxied.isPresent() && !visitor.accounts().contains(proxied.get())) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "act as",
                    proxied.get(),
                    "doas names an account that is not yours");
        }
        if (parameters.has("delegation")) {
            throw Parameters.wrong(
                    "delegation", "there are no delegation tokens: use a certificate or proxy");
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
                                "show the certificate or proxy that the farm knows you by (curl --cert FILE)"));
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
        Optional<String> shown =
                request.header(HttpHeaderNames.AUTHORIZATION)
                        .filter(header -> header.startsWith("Bearer "))
                        .map(header -> header.substring("Bearer ".length()).strip());
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
