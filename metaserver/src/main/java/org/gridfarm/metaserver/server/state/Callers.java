package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;

/** Finds who is calling. */
public final class Callers {
    private Callers() {}

    /**
     * Refuses with SESSION_ENDED a connection that has opened no session, and with DISCONNECTED one
     * whose session has gone on over another: what was long on its way here has been asked again
     * there, and perhaps undone.
     */
    public static Caller of(Exchange<?, ?> exchange) {
        Caller caller = exchange.peer().attachment(Caller.KEY);
        if (caller == null) {
            throw new FarmException(
                    ErrorKind.SESSION_ENDED,
                    exchange.method().name(),
                    "",
                    "no session was opened on this connection");
        }
        if (exchange.peer().attachment(Caller.LEFT_BEHIND) != null) {
            throw new FarmException(
                    ErrorKind.DISCONNECTED,
                    exchange.method().name(),
                    "",
                    "its session has gone on over another connection");
        }
        return caller;
    }

    /** The same of one whose session is over. */
    public static Caller live(Exchange<?, ?> exchange, LeaderContext leader) {
        Caller caller = of(exchange);
        if (!leader.isLive(caller.session())) {
            throw new FarmException(ErrorKind.SESSION_ENDED, exchange.method().name(), "");
        }
        return caller;
    }

    /** Refuses everybody else with NOT_PERMITTED. */
    public static void requireAdministrator(Exchange<?, ?> exchange) {
        if (!exchange.peer().identity().isAdmin()) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    exchange.method().name(),
                    "",
                    "for administrators only");
        }
    }
}
