package org.gridfarm.protocol.rpc;

import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

/** How connections are protected and how the other side proves who it is. */
public final class ChannelSecurity {
    private final @Nullable TlsContexts contexts;
    private final @Nullable Identity everybody;
    private final LogIns logIns;
    private final @Nullable OwnLogIn own;

    private ChannelSecurity(
            @Nullable TlsContexts contexts,
            @Nullable Identity everybody,
            LogIns logIns,
            @Nullable OwnLogIn own) {
        this.contexts = contexts;
        this.everybody = everybody;
        this.logIns = logIns;
        this.own = own;
    }

    /** Mutual TLS, as server and as client. */
    public static ChannelSecurity tls(TlsContexts contexts) {
        return new ChannelSecurity(contexts, null, LogIns.NONE, null);
    }

    /**
     * No protection at all, everybody is taken for the given one: for tests and benchmarks inside
     * one JVM.
     */
    public static ChannelSecurity insecureForTests(Identity everybody) {
        return new ChannelSecurity(null, everybody, LogIns.NONE, null);
    }

    /** The same of a server that guests may log in to. */
    public ChannelSecurity lettingIn(LogIns by) {
        return new ChannelSecurity(contexts, everybody, by, own);
    }

    /** The same of a client that has no certificate and logs in. */
    public ChannelSecurity loggingIn(OwnLogIn by) {
        return new ChannelSecurity(contexts, everybody, logIns, by);
    }

    LogIns logIns() {
        return logIns;
    }

    /** How this side logs in to a server of that role; null: not at all. */
    @Nullable OwnLogIn logInTo(Role server) {
        return own != null && own.isFor(server) ? own : null;
    }

    /** Whom everybody is taken for where nobody proves anything; null where TLS decides. */
    @Nullable Identity everybody() {
        return everybody;
    }

    /**
     * The pipeline then tells its last handler {@link AuthenticatedPeer} before any byte, or
     * PeerRefused.
     */
    void secureServer(ChannelPipeline pipeline) {
        if (contexts != null) contexts.secureServer(pipeline);
    }

    void secureClient(SocketChannel channel, HostPort address, ExpectedServer expected) {
        if (contexts != null)
            contexts.secureClient(
                    channel.pipeline(), address.host(), address.port(), expected.check(address));
    }

    /**
     * A refusal of this side, with what the other one does not tell: that our credential is old,
     * say.
     */
    FarmException explained(FarmException refusal) {
        // Some engines close the connection before they say why.
        boolean mayBeOurs =
                refusal.kind() == ErrorKind.NOT_AUTHENTICATED
                        || refusal.kind() == ErrorKind.UNAVAILABLE;
        if (contexts == null || !mayBeOurs) return refusal;
        return contexts.ownFlaw()
                .map(why ->
                        new FarmException(
                                ErrorKind.NOT_AUTHENTICATED,
                                refusal.operation(),
                                refusal.subject(),
                                why,
                                refusal))
                .orElse(refusal);
    }
}
