package org.gridfarm.metaserver.server.sessions;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.session.Owners;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.CloseSessionRequest;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.OpenSessionReply;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.RenewReply;
import org.gridfarm.protocol.wire.RenewRequest;
import org.gridfarm.protocol.wire.ServerInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Opening, renewing and closing sessions, the same at the leader and at caches. Event thread.
 *
 * <p>That a session was ended the client learns from RENEW, which it sends first when it comes
 * back; at a leader that is past its grace period also from OPEN_SESSION, which does not open it
 * then.
 */
public final class SessionService {
    private final ClientCoherence clients;
    private final Sessions sessions;
    private final ServerIdentity identity;
    private final Supplier<JournalStore.Claim> claim;
    private final LongSupplier leaseNanos;
    private final Consumer<List<Effect>> effects;
    private final Events events;
    private final Clock clock;
    private final BooleanSupplier inGrace;
    private final Owners owners;

    /**
     * @param owners of sessions that have something in the journal
     * @param inGrace whether sessions of a former leader may still be brought back
     */
    public SessionService(
            ClientCoherence clients,
            Sessions sessions,
            ServerIdentity identity,
            Supplier<JournalStore.Claim> claim,
            LongSupplier leaseNanos,
            Consumer<List<Effect>> effects,
            Events events,
            Clock clock,
            Owners owners,
            BooleanSupplier inGrace) {
        this.clients = clients;
        this.sessions = sessions;
        this.identity = identity;
        this.claim = claim;
        this.leaseNanos = leaseNanos;
        this.effects = effects;
        this.events = events;
        this.clock = clock;
        this.owners = owners;
        this.inGrace = inGrace;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.OPEN_SESSION, this::open);
        table.on(MetadataMethods.RENEW, this::renew);
        table.on(MetadataMethods.CLOSE_SESSION, this::close);
    }

    private void open(Exchange<OpenSessionRequest, OpenSessionReply> exchange) {
        Identity who = exchange.peer().identity();
        if (!who.role().isPerson()) {
            opened(exchange, who, Caller.ofHost(who));
            return;
        }
        identity.blocking()
                .execute(() -> {
                    try {
                        Credentials own = identity.accounts().of(who.user());
                        requireNoSuperuser(exchange.peer(), who, own);
                        events.submit(() -> opened(exchange, who, own));
                    } catch (RuntimeException e) {
                        exchange.failWith(e);
                    }
                });
    }

    /** Whatever the account is called: gateways and tokens are trusted with people's files. */
    private static void requireNoSuperuser(Peer peer, Identity who, Credentials own) {
        boolean token = who.scopes().isPresent();
        if ((peer.isGateway() || token) && own.getUid() == 0) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "open session",
                    who.user(),
                    "that account is root's, and a "
                            + (token ? "token" : "gateway")
                            + " is never root");
        }
    }

    private void opened(
            Exchange<OpenSessionRequest, OpenSessionReply> exchange,
            Identity who,
            Credentials own) {
        OpenSessionRequest request = exchange.request();
        long session =
                request.getSession() == 0 ? Entropy.system().nextLong() : request.getSession();
        boolean known = clients.knows(session);
        if (!isOwn(session, who)) {
            exchange.fail(foreign(exchange));
            return;
        }
        FarmException full = known ? null : sessions.refusal(who);
        if (full != null) {
            exchange.fail(full);
            return;
        }
        Caller caller =
                new Caller(
                        who,
                        session,
                        own,
                        request.getClient(),
                        request.getNode(),
                        exchange.peer().keyBinding());
        // Not opened then: asked again, since the answer was lost, it would seem to be in time.
        boolean tooLate = request.getReclaim() && !known && !inGrace.getAsBoolean();
        long left = tooLate ? 0 : begin(caller, exchange.peer());
        exchange.reply(
                OpenSessionReply.newBuilder()
                        .setSession(session)
                        .setEpoch(claim.get().epoch())
                        .setLeaseMillis(millis(left))
                        .addAllServers(servers())
                        .setUser(who.user())
                        .addAllAccounts(who.users())
                        .setCredentials(own)
                        .setMayAssert(caller.speaksForOthers())
                        .setRoot(1)
                        .setInstance(claim.get().instance())
                        .setTooLate(tooLate)
                        .build());
    }

    /** Nobody has it, or somebody of that name, here or at the former leader. */
    private boolean isOwn(long session, Identity who) {
        Caller here = sessions.caller(session);
        String owner = here == null ? owners.of(session) : here.identity().owner();
        return owner == null || owner.equals(who.owner());
    }

    private static FarmException foreign(Exchange<?, ?> exchange) {
        return new FarmException(
                ErrorKind.NOT_PERMITTED,
                exchange.method().name(),
                "",
                "the session belongs to somebody else");
    }

    /** Returns the nanoseconds of its lease. */
    private long begin(Caller caller, Peer peer) {
        long now = clock.nanoTime();
        clients.open(caller.session(), now + leaseNanos.getAsLong());
        long left = clients.renew(caller.session(), now, leaseNanos.getAsLong());
        peer.attach(Caller.KEY, caller);
        sessions.attach(caller, peer);
        return left;
    }

    private static int millis(long nanos) {
        return (int) (nanos / 1_000_000);
    }

    private List<ServerInfo> servers() {
        List<ServerInfo> servers = new ArrayList<>();
        for (Cluster.Member member : identity.members().get()) {
            servers.add(
                    ServerInfo.newBuilder()
                            .setName(member.name())
                            .setAddress(member.address())
                            .setRole(member.role())
                            .build());
        }
        return servers;
    }

    private void renew(Exchange<RenewRequest, RenewReply> exchange) {
        long session = exchange.request().getSession();
        if (!isOwn(session, exchange.peer().identity())) throw foreign(exchange);
        long left = clients.renew(session, clock.nanoTime(), leaseNanos.getAsLong());
        exchange.reply(
                RenewReply.newBuilder()
                        .setLeaseMillis(millis(left))
                        .setEvicted(!clients.knows(session))
                        .addAllServers(servers())
                        .build());
    }

    private void close(Exchange<CloseSessionRequest, Empty> exchange) {
        Caller caller = Callers.of(exchange);
        List<Effect> ended = new ArrayList<>();
        clients.close(caller.session(), ended);
        effects.accept(ended);
        exchange.reply(Empty.getDefaultInstance());
    }
}
