package org.gridfarm.protocol.rpc;

import io.netty.channel.Channel;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ActAsReply;
import org.gridfarm.protocol.wire.ActAsRequest;
import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;

/**
 * A person with several accounts says which one he means, and a gateway as whose account it asks,
 * before anything else is asked for on the connection. Every server answers; what accounts there
 * are its map says. A gateway becomes nobody's superuser: neither root here nor, where a session is
 * opened, who has the number 0.
 */
final class ActAs {
    static final Method<ActAsRequest, ActAsReply> METHOD =
            new Method<>(
                    180,
                    "act-as",
                    ActAsRequest.parser(),
                    ActAsReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE
                            .and(Role.GATEWAY)
                            .freeOfScopes()
                            .needing("an account of the same person; of a gateway, of any"));

    private static final String SUPERUSER = "root";

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
        private final Identity proved;
        private final Channel channel;
        private volatile Identity identity;
        private volatile LogIns.@Nullable Standing standing;
        private byte[] challenge = {};
        private boolean asked;

        /**
         * @param channel that knows what was proved, where that was by TLS
         */
        Whom(Identity proved, Channel channel) {
            this.proved = proved;
            this.channel = channel;
            identity = proved;
        }

        /** Names the key by which it was proved; 0 where nothing was. */
        long keyBinding() {
            AuthenticatedPeer peer = channel.attr(TlsContexts.PEER).get();
            return peer == null ? 0 : peer.chain().keyBinding();
        }

        /** Whether somebody of this server's map has it. */
        private boolean isAccount(String account) {
            AuthenticatedPeer peer = channel.attr(TlsContexts.PEER).get();
            return peer != null && peer.people().says(map -> map.hasAccount(account));
        }

        boolean isGateway() {
            return proved.role() == Role.GATEWAY;
        }

        Identity identity() {
            return identity;
        }

        /** It has called that method. */
        void asks(int method) {
            asked |= method != METHOD.number() && method != LogIn.METHOD.number();
        }

        /** BUSY for a second time: a guess costs a handshake. */
        void logsIn(LogIns.Standing found) {
            if (asked || standing != null) {
                throw new FarmException(
                        ErrorKind.BUSY, LogIn.METHOD.name(), "", "this connection is in use");
            }
            standing = found;
            identity = found.identity();
        }

        /** Why a guest who has logged in is nobody any more; null: he is who he was. */
        @Nullable FarmException over() {
            LogIns.Standing by = standing;
            return by == null || by.stands()
                    ? null
                    : new FarmException(
                            ErrorKind.NOT_AUTHENTICATED,
                            LogIn.METHOD.name(),
                            identity.user(),
                            "the token or key is good no more");
        }

        /** What a guest's proof has to be about. */
        void challenge(byte[] random) {
            challenge = random;
        }

        /** Of this connection, as its accepting side sees it. */
        ChannelBinding binding() {
            return LogIn.binding(channel, challenge, true);
        }

        /** The same of the side that has dialled, and has heard the challenge. */
        ChannelBinding bindingTo(byte[] heard) {
            return LogIn.binding(channel, heard, false);
        }

        /** Where the other side is. */
        HostPort from() {
            return HostPort.of(
                    channel.remoteAddress() instanceof InetSocketAddress inet ? inet : null);
        }

        /** BUSY where it has asked for something before, for which it was another. */
        private void becomes(String account) {
            Identity now = isGateway() ? inPlaceOf(account) : identity.as(account);
            if (asked) {
                throw new FarmException(
                        ErrorKind.BUSY,
                        METHOD.name(),
                        account,
                        "this connection is already in use as " + identity.user());
            }
            identity = now;
        }

        private Identity inPlaceOf(String account) {
            if (account.equals(SUPERUSER) || !isAccount(account)) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        METHOD.name(),
                        account,
                        account.equals(SUPERUSER)
                                ? "a gateway is never root"
                                : "the grid-mapfile gives that account to nobody");
            }
            return proved.inPlaceOf(account);
        }
    }
}
