package org.gridfarm.client.cli.gateway.call;

import java.util.List;

/**
 * Whom a request is answered for.
 *
 * @param name as he proved it: of a certificate, or {@code token}, or {@code anyone}
 * @param account whose session of the farm is used; empty: that of who runs the gateway
 * @param accounts he may choose from
 */
public record Visitor(String name, String account, List<String> accounts) {
    public Visitor {
        accounts = List.copyOf(accounts);
    }

    /** As that one of his accounts; what is none of his is not looked at. */
    public Visitor as(String asked) {
        return accounts.contains(asked) ? new Visitor(name, asked, accounts) : this;
    }
}
