package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ActAsReply;
import org.gridfarm.protocol.wire.ActAsRequest;

/**
 * A person with several accounts says which one he means, before he asks for anything else on the
 * connection. Every server answers; what his accounts are its map says.
 */
final class ActAs {
    static final Method<ActAsRequest, ActAsReply> METHOD =
            new Method<>(
                    180,
                    "act-as",
                    ActAsRequest.parser(),
                    ActAsReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.needing("an account of the same person"));

    private ActAs() {}

    /** What a server answers, and this. */
    static Services beside(Services services) {
        return Services.builder().include(services).on(METHOD, ActAs::serve).build();
    }

    private static void serve(Exchange<ActAsRequest, ActAsReply> exchange) {
        Whom whom = ((Connection) exchange.peer()).whom();
        whom.becomes(exchange.request().getAccount());
        exchange.reply(ActAsReply.newBuilder().setUser(whom.identity().user()).build());
    }

    /** Who the other side of a connection is. Changed on its event loop alone. */
    static final class Whom {
        private volatile Identity identity;
        private boolean asked;

        Whom(Identity proved) {
            identity = proved;
        }

        Identity identity() {
            return identity;
        }

        /** It has called that method. */
        void asks(int method) {
            asked |= method != METHOD.number();
        }

        /** BUSY where it has asked for something before, for which it was another. */
        private void becomes(String account) {
            Identity now = identity.as(account);
            if (asked) {
                throw new FarmException(
                        ErrorKind.BUSY,
                        METHOD.name(),
                        account,
                        "this connection is already in use as " + identity.user());
            }
            identity = now;
        }
    }
}
