package org.gridfarm.client.cli.gateway.call;

import java.util.List;
import java.util.Optional;

/**
 * Whom a request is answered for.
 *
 * @param name as he proved it: of a certificate, or {@code token}, or {@code anyone}
 * @param account whose session of the farm is used; empty: that of who runs the gateway, or the
 *     usual one of whose the token is
 * @param accounts he may choose from
 * @param token of the farm that he came by; whose it is the metaserver says
 */
public record Visitor(
        String name, String account, List<String> accounts, Optional<ShownToken> token) {
    public Visitor {
        accounts = List.copyOf(accounts);
    }

    /** Who came by something else than a token of the farm. */
    public Visitor(String name, String account, List<String> accounts) {
        this(name, account, accounts, Optional.empty());
    }

    /** Who has shown that token, and nothing else that counts. */
    public static Visitor by(ShownToken token) {
        return new Visitor("token", "", List.of(), Optional.of(token));
    }

    /** The same when the metaserver has said whose the token is, and what other accounts he has. */
    public Visitor known(String user, List<String> others) {
        return new Visitor(name, user, others.contains(user) ? others : List.of(user), token);
    }

    /** As that one of his accounts; what is none of his is not looked at. */
    public Visitor as(String asked) {
        return accounts.contains(asked) ? new Visitor(name, asked, accounts, token) : this;
    }
}
