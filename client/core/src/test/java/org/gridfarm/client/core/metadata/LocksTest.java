package org.gridfarm.client.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.SessionSettings;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.HeldLocksReply;
import org.gridfarm.protocol.wire.HeldLocksRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What becomes of a session's locks when its process or its leader is another one. */
class LocksTest {
    private static final long SESSION = 7;
    private static final LockRequest FIRST = exclusive(1);
    private static final LockRequest SECOND = exclusive(2);
    private static final LockRequest APPEND = exclusive(3).toBuilder().setAppend(true).build();

    private static LockRequest exclusive(long inode) {
        return LockRequest.newBuilder()
                .setInode(inode)
                .setOwner(5)
                .setKind(LockKind.EXCLUSIVE_LOCK)
                .setEnd(9)
                .build();
    }

    /** A leader that tells one lock at a time and grants whatever it is asked for. */
    private static final class Leader implements LeaderCalls {
        final List<LockRequest> held;
        final List<LockRequest> asked = new ArrayList<>();
        int answers = Integer.MAX_VALUE;

        Leader(LockRequest... held) {
            this.held = List.of(held);
        }

        @Override
        public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> call(
                Method<Q, R> method, Q request) {
            if (answers-- <= 0) {
                return CompletableFuture.failedFuture(
                        new FarmException(ErrorKind.DISCONNECTED, method.name(), ""));
            }
            MessageLite reply =
                    method == MetadataMethods.HELD_LOCKS
                            ? told(((HeldLocksRequest) request).getAfter())
                            : granted((LockRequest) request);
            @SuppressWarnings("unchecked") // as the method says
            R answer = (R) reply;
            return CompletableFuture.completedFuture(answer);
        }

        private HeldLocksReply told(LockRequest after) {
            int next = held.indexOf(after) + 1;
            HeldLocksReply.Builder reply = HeldLocksReply.newBuilder();
            if (next < held.size()) reply.addLocks(held.get(next)).setMore(true);
            return reply.build();
        }

        private LockReply granted(LockRequest request) {
            asked.add(request);
            return LockReply.newBuilder().setGranted(true).build();
        }

        @Override
        public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> change(
                Method<Q, R> method, Q request) {
            throw new AssertionError("a lock is no change");
        }

        @Override
        public boolean isOpen() {
            return answers > 0;
        }
    }

    private static Locks locks(long inherited) {
        Inheritance former =
                new Inheritance() {
                    @Override
                    public long session() {
                        return inherited;
                    }
                };
        return new Locks(
                new FarmSession(
                        new SessionSettings(
                                List.of(HostPort.parse("localhost:1")),
                                "test",
                                "",
                                Duration.ofSeconds(1)),
                        address -> new CompletableFuture<>(),
                        new SimClock(),
                        Entropy.system(),
                        former));
    }

    private static void reopen(Locks locks, Leader leader) {
        assertThat(locks.reopened(leader, false).toCompletableFuture()).isCompleted();
    }

    private static LockRequest claim(LockRequest lock) {
        return lock.toBuilder().setSession(SESSION).setReclaim(true).build();
    }

    @Test
    void whatAFormerProcessHeldIsClaimedAtTheNextLeader() {
        Locks locks = locks(SESSION);
        reopen(locks, new Leader(FIRST, SECOND));
        Leader next = new Leader();
        reopen(locks, next);
        assertThat(next.asked).containsExactlyInAnyOrder(claim(FIRST), claim(SECOND));
    }

    @Test
    void aLeaderThatIsLostMeanwhileIsNotTheLastToBeAsked() {
        Locks locks = locks(SESSION);
        Leader first = new Leader(FIRST, SECOND);
        first.answers = 1;
        reopen(locks, first);
        reopen(locks, new Leader(FIRST, SECOND));
        Leader next = new Leader();
        reopen(locks, next);
        assertThat(next.asked).containsExactlyInAnyOrder(claim(FIRST), claim(SECOND));
    }

    /** Else nobody appends to the file any more. */
    @Test
    void theTurnToAppendOfAFormerProcessIsOver() {
        Locks locks = locks(SESSION);
        Leader leader = new Leader(FIRST, APPEND, SECOND);
        reopen(locks, leader);
        assertThat(leader.asked)
                .contains(APPEND.toBuilder().setSession(SESSION).setKind(LockKind.UNLOCK).build());
        Leader next = new Leader();
        reopen(locks, next);
        assertThat(next.asked).containsExactlyInAnyOrder(claim(FIRST), claim(SECOND));
    }

    @Test
    void withoutAFormerProcessNobodyIsAsked() {
        Locks locks = locks(0);
        Leader leader = new Leader(FIRST, APPEND);
        reopen(locks, leader);
        assertThat(leader.asked).isEmpty();
    }
}
