package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What one object sends down its chain, in order. When the next member fails, all that it has not
 * answered goes again, in the same order, to the member behind it, which may have seen some of it:
 * doing it twice in order is the same as once. The failed one is named in every answer and passed
 * over for a while; what it still forwards is refused by whoever was reached without it.
 *
 * <p>Thread-safe. INVARIANT: at any time the unanswered forwards to one member left in the order of
 * {@link #unanswered}.
 */
final class ForwardQueue {
    /**
     * A member answers within this, plus the same for each one behind it. A stopped process is
     * found by its silence before that.
     */
    static final Duration HOP_MAX = Duration.ofSeconds(3);

    /** With the time the client itself needs, no write takes more than ten seconds. */
    static final Duration CHAIN_MAX = Duration.ofSeconds(8);

    /**
     * How long a failed member is passed over: by then the metaserver has taken it out of the
     * layout.
     */
    static final Duration PASSED_OVER = Duration.ofSeconds(10);

    /** Members behind one node; a replica level has far fewer. */
    static final int MEMBERS_MAX = 64;

    /** Who is passed over of one object at a time; of more, the next ones are tried again. */
    private static final int PASSED_OVER_MAX = 2 * MEMBERS_MAX;

    /** One thing to send; it may be sent several times. */
    interface Forward {
        /**
         * @param passedOver bit n: without the member that has n members behind it
         */
        CompletableFuture<ChainOutcome> to(
                ChainMember member, List<ChainMember> rest, long passedOver, Duration deadline);
    }

    private static final class Unanswered {
        final Forward forward;
        final long deadline;
        final CompletableFuture<ChainOutcome> result = new CompletableFuture<>();
        final List<MemberFailure> failures = new ArrayList<>();
        List<ChainMember> rest;
        long passedOver;
        @Nullable String hop;

        Unanswered(Forward forward, List<ChainMember> rest, long deadline) {
            this.forward = forward;
            this.rest = rest;
            this.deadline = deadline;
        }

        /** The first of the rest is not in the rest any more. */
        void passOver(MemberFailure why) {
            failures.add(why);
            passedOver |= 1L << rest.size();
        }
    }

    private record PassedOver(MemberFailure why, long until) {}

    private final Clock clock;

    @GuardedBy("this")
    private final List<Unanswered> unanswered = new ArrayList<>();

    @GuardedBy("this")
    private final Map<String, PassedOver> passedOver = new HashMap<>();

    ForwardQueue(Clock clock) {
        this.clock = clock;
    }

    /**
     * Never fails: who could not be reached is named in the outcome. Without members the outcome is
     * empty and there at once.
     */
    CompletableFuture<ChainOutcome> send(List<ChainMember> rest, Forward forward) {
        if (rest.isEmpty()) {
            return CompletableFuture.completedFuture(ChainOutcome.getDefaultInstance());
        }
        List<Runnable> after = new ArrayList<>();
        Unanswered entry = new Unanswered(forward, rest, clock.nanoTime() + CHAIN_MAX.toNanos());
        synchronized (this) {
            unanswered.add(entry);
            dispatch(entry, after);
        }
        after.forEach(Runnable::run);
        return entry.result;
    }

    /** INVALID for a longer chain than any file has: who is in it is the client's word. */
    static void requireShort(List<ChainMember> rest) {
        if (rest.size() > MEMBERS_MAX) {
            throw new FarmException(
                    ErrorKind.INVALID, "forward", "", "a chain of " + rest.size() + " members");
        }
    }

    /** Nothing is under way and nobody is passed over. */
    synchronized boolean isIdle() {
        passedOver.values().removeIf(entry -> clock.nanoTime() - entry.until > 0);
        return unanswered.isEmpty() && passedOver.isEmpty();
    }

    @GuardedBy("this")
    private void dispatch(Unanswered entry, List<Runnable> after) {
        while (!entry.rest.isEmpty()) {
            ChainMember member = entry.rest.get(0);
            entry.rest = entry.rest.subList(1, entry.rest.size());
            long now = clock.nanoTime();
            PassedOver former = passedOver.get(member.getNode());
            if (former != null && now - former.until < 0) {
                entry.passOver(former.why);
                continue;
            }
            Duration left = Duration.ofNanos(entry.deadline - now);
            Duration deadline = HOP_MAX.multipliedBy(entry.rest.size() + 1);
            if (left.isNegative()) {
                entry.passOver(
                        failure(
                                member,
                                new FarmException(
                                        ErrorKind.TIMED_OUT, "forward", member.getNode())));
                continue;
            }
            entry.hop = member.getNode();
            entry.forward
                    .to(
                            member,
                            entry.rest,
                            entry.passedOver,
                            deadline.compareTo(left) < 0 ? deadline : left)
                    .whenComplete((outcome, thrown) -> answered(entry, member, outcome, thrown));
            return;
        }
        entry.hop = null;
        unanswered.remove(entry);
        ChainOutcome outcome = ChainOutcome.newBuilder().addAllFailures(entry.failures).build();
        after.add(() -> entry.result.complete(outcome));
    }

    private void answered(
            Unanswered entry,
            ChainMember member,
            @Nullable ChainOutcome outcome,
            @Nullable Throwable thrown) {
        List<Runnable> after = new ArrayList<>();
        synchronized (this) {
            if (!member.getNode().equals(entry.hop)) {
                return; // it has been sent to another member meanwhile
            }
            if (outcome != null) {
                unanswered.remove(entry);
                entry.hop = null;
                ChainOutcome all = outcome.toBuilder().addAllFailures(entry.failures).build();
                after.add(() -> entry.result.complete(all));
            } else {
                MemberFailure why =
                        failure(
                                member,
                                FarmException.of(
                                        thrown == null ? new IllegalStateException() : thrown,
                                        "forward",
                                        member.getNode()));
                if (why.getErrorKind() == ErrorKind.WRONG_GENERATION.number()) {
                    // Its writer has gone on with another chain: that says nothing of the member.
                    entry.passOver(why);
                    dispatch(entry, after);
                } else {
                    passedOver.values().removeIf(former -> clock.nanoTime() - former.until > 0);
                    if (passedOver.size() < PASSED_OVER_MAX) {
                        passedOver.put(
                                member.getNode(),
                                new PassedOver(why, clock.nanoTime() + PASSED_OVER.toNanos()));
                    }
                    for (Unanswered other : List.copyOf(unanswered)) {
                        if (member.getNode().equals(other.hop)) {
                            other.passOver(why);
                            dispatch(other, after);
                        }
                    }
                }
            }
        }
        after.forEach(Runnable::run);
    }

    private static MemberFailure failure(ChainMember member, FarmException why) {
        return MemberFailure.newBuilder()
                .setNode(member.getNode())
                .setErrorKind(why.kind().number())
                .setDetail(why.getMessage())
                .build();
    }
}
