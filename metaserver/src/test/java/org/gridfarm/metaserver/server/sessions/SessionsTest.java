package org.gridfarm.metaserver.server.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.Keys;
import org.gridfarm.metaserver.coherence.Touch;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.metaserver.server.state.EventThread;
import org.gridfarm.metaserver.server.state.HeapWatch;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.AttachmentKey;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

class SessionsTest {
    private static final long LEASE = ServerLimits.CLIENT_LEASE.toNanos();
    private static final long KEY = Keys.attributes(7);

    private final ClientCoherence clients = new ClientCoherence();
    private final Bounds bounds =
            new Bounds(ClientLimits.ofHeap(1L << 30), new HeapWatch(95, Clock.system()));
    private final Sessions sessions =
            new Sessions(
                    clients,
                    new EventThread(Clock.system(), () -> {}, () -> {}, defect -> {}),
                    Clock.system(),
                    (session, recall) -> {},
                    bounds);

    private void open(long session, String dn) {
        clients.open(session, System.nanoTime() + LEASE);
        Identity who = new Identity(dn, Role.USER, List.of("ann"), Optional.empty(), false);
        sessions.attach(
                new Caller(who, session, Credentials.getDefaultInstance(), "test", "", 0),
                new SilentPeer(who));
    }

    private boolean isGranted(long session) {
        return clients.grant(session, KEY, System.nanoTime() + 2 * ClientCoherence.CHURN_NANOS);
    }

    private Effect.SessionEnded expired() {
        List<Effect> effects = new ArrayList<>();
        clients.expire(System.nanoTime() + LEASE, effects);
        return effects.stream()
                .filter(Effect.SessionEnded.class::isInstance)
                .map(Effect.SessionEnded.class::cast)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whoLetOthersWaitIsGrantedNothingInHisNextSessionsEither() {
        open(1, "/CN=mallory");
        assertThat(isGranted(1)).isTrue();
        List<Effect> effects = new ArrayList<>();
        clients.recall(1, List.of(new Touch(7, null, 0)), System.nanoTime(), effects);
        effects.forEach(effect -> {
            if (effect instanceof Effect.SendRecall recall) sessions.send(recall);
        });
        sessions.forget(expired());
        open(2, "/CN=mallory");
        open(3, "/CN=ann");
        assertThat(isGranted(2)).isFalse();
        assertThat(isGranted(3)).isTrue();
    }

    @Test
    void whoseLeaseRanOutWhileNobodyWaitedIsGrantedAsBefore() {
        open(1, "/CN=mallory");
        assertThat(isGranted(1)).isTrue();
        sessions.forget(expired());
        open(2, "/CN=mallory");
        assertThat(isGranted(2)).isTrue();
    }

    /** A client that is not reached any more. */
    private record SilentPeer(Identity identity) implements Peer {
        @Override
        public <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
                Method<Q, R> method, Q request, @Nullable ByteBuf payload, Duration deadline) {
            return new CompletableFuture<>();
        }

        @Override
        public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callPlain(
                Method<Q, R> method, Q request, Duration deadline) {
            return new CompletableFuture<>();
        }

        @Override
        public long keyBinding() {
            return 0;
        }

        @Override
        public String address() {
            return "nowhere";
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public Runnable whenClosed(Runnable action) {
            return () -> {};
        }

        @Override
        public void close() {}

        @Override
        public <T> @Nullable T attachment(AttachmentKey<T> key) {
            return null;
        }

        @Override
        public <T> @Nullable T attach(AttachmentKey<T> key, T value) {
            return null;
        }
    }
}
