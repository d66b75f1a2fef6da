package org.gridfarm.client.core.transfer.chain;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this process sends down the chain of one object, in order, over members that fail.
 * Thread-safe.
 *
 * <p>FLOWING: commands go to the head as they come. A failure makes it MENDING: nothing more is
 * sent; when every command under way has ended, the failed members are told to the metaserver,
 * which answers with the chain to go on with; then the unfinished commands are sent again in their
 * order, and those that waited behind them. A command whose write stands on the others is done once
 * its failed members have been recorded, not before.
 */
public final class ObjectChain {
    /** Sends one command to the head. */
    public interface Command {
        CompletableFuture<ChainOutcome> send(Peer head, Chain chain, Duration deadline);

        /**
         * Before it is sent a second time, when it may have been done: its outcome if so, null:
         * send it. Commands that may be repeated answer null.
         */
        default CompletableFuture<@Nullable ChainOutcome> doneBefore(
                Peer head, Chain chain, Duration deadline) {
            return CompletableFuture.completedFuture(null);
        }

        /** It tells the head itself of a staged file that the object is to be made of. */
        default boolean claims() {
            return false;
        }

        /** The object is moved to nodes with more room for it. */
        default boolean movesWhenFull() {
            return true;
        }
    }

    /** Finds the chain and mends it. */
    public interface Source {
        /**
         * The chain as known; a failure if there is none.
         *
         * @param claimed its head is to know first of a staged file that the object is to be made
         *     of
         */
        CompletableFuture<Chain> chain(int stripe, boolean claimed);

        /**
         * Records the failed nodes (none: only asks anew) and makes the chain to go on with known.
         */
        CompletableFuture<Void> mend(int stripe, Set<String> failed, boolean full, String reason);

        /** An object that was written exists from now on. */
        void written(int stripe);
    }

    private static final class Entry {
        final long order;
        final Command command;
        final boolean aside; // nobody's change: who waits for what he sent does not wait for it
        long deadlineAt; // guarded by the chain's lock
        final CompletableFuture<ChainOutcome> result = new CompletableFuture<>();
        boolean sentBefore;
        final Set<String> full = // nodes without room for it; guarded by the chain's lock
                new LinkedHashSet<>();
        @Nullable ChainOutcome
                outcome; // stands on the others, waits for its failures to be recorded

        Entry(long order, Command command, boolean aside, long deadlineAt) {
            this.order = order;
            this.command = command;
            this.aside = aside;
            this.deadlineAt = deadlineAt;
        }
    }

    private final int stripe;
    private final Source source;
    private final Nodes nodes;
    private final Clock clock;
    private final AtomicLong fences;

    private final Object lock =
            new Object(); // guards what follows; no foreign code is called under it
    private final TreeMap<Long, Entry> waiting = new TreeMap<>(); // to be sent, in order
    private final Set<Entry> underWay = new LinkedHashSet<>();
    private final Set<Entry> standing =
            new LinkedHashSet<>(); // outcome known, failures not recorded
    private final Set<String> failed = new LinkedHashSet<>();
    private String reason = "";
    private boolean full;
    private boolean mending;
    private boolean mendingRuns;
    private boolean sending;
    private long orders;
    private long fence;
    private @Nullable FarmException lastFailure;

    public ObjectChain(int stripe, Source source, Nodes nodes, Clock clock, AtomicLong fences) {
        this.fences = fences;
        this.fence = fences.incrementAndGet();
        this.stripe = stripe;
        this.source = source;
        this.nodes = nodes;
        this.clock = clock;
    }

    public CompletableFuture<ChainOutcome> submit(Command command, Duration deadline) {
        return submit(command, false, deadline);
    }

    /** As {@link #submit}, but {@link #drained} does not wait for it. */
    public CompletableFuture<ChainOutcome> submitAside(Command command, Duration deadline) {
        return submit(command, true, deadline);
    }

    private CompletableFuture<ChainOutcome> submit(
            Command command, boolean aside, Duration deadline) {
        Entry entry;
        synchronized (lock) {
            entry = new Entry(orders++, command, aside, clock.nanoTime() + deadline.toNanos());
            waiting.put(entry.order, entry);
        }
        expireAfter(deadline, entry);
        pump();
        return entry.result;
    }

    private void expireAfter(Duration delay, Entry entry) {
        Clock.Timer timer = clock.after(delay, () -> expire(entry));
        entry.result.whenComplete((outcome, thrown) -> timer.cancel());
    }

    /**
     * Whatever is being waited for, the caller is told in time. What is under way ends by itself,
     * and moving to nodes with room takes as long as it takes.
     */
    private void expire(Entry entry) {
        Duration again = null;
        boolean over = false;
        synchronized (lock) {
            long left = entry.deadlineAt - clock.nanoTime();
            if (mendingRuns && full) {
                again = TransferLimits.RETRY_PAUSE;
            } else if (left > 0) {
                again = Duration.ofNanos(left);
            } else {
                over = waiting.remove(entry.order, entry) || standing.remove(entry);
            }
        }
        if (again != null) {
            expireAfter(again, entry);
        } else if (over) {
            entry.result.completeExceptionally(expired());
        }
    }

    /** Completes when everything submitted so far, and not aside, has ended, well or not. */
    public CompletableFuture<Void> drained() {
        List<Entry> all = new ArrayList<>();
        synchronized (lock) {
            all.addAll(waiting.values());
            all.addAll(underWay);
            all.addAll(standing);
        }
        all.removeIf(entry -> entry.aside);
        return CompletableFuture.allOf(
                        all.stream()
                                .map(entry -> entry.result)
                                .toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> null);
    }

    /**
     * Sends what waits. One thread at a time sends, so that the order on the connection is the
     * order of submission.
     */
    private void pump() {
        boolean claimed;
        synchronized (lock) {
            if (sending || mending || waiting.isEmpty()) {
                return;
            }
            sending = true;
            claimed = !waiting.firstEntry().getValue().command.claims();
        }
        source.chain(stripe, claimed)
                .thenCompose(chain ->
                        nodes.connect(chain.head())
                                .handle((peer, thrown) -> {
                                    if (thrown == null) {
                                        sendAll(chain.fenced(fenceNow()), peer, claimed);
                                    } else {
                                        headUnreachable(
                                                chain,
                                                FarmException.of(
                                                        thrown, "connect", chain.head().getNode()));
                                    }
                                    return null;
                                }))
                .whenComplete((done, thrown) -> {
                    synchronized (lock) {
                        sending = false;
                        if (thrown != null) {
                            noteFailure(FarmException.of(thrown, "write", ""), null);
                        }
                    }
                    settle();
                });
    }

    private void sendAll(Chain chain, Peer peer, boolean claimed) {
        while (true) {
            Entry entry;
            synchronized (lock) {
                boolean none = mending || waiting.isEmpty();
                if (none || !(claimed || waiting.firstEntry().getValue().command.claims())) {
                    return;
                }
                entry = waiting.pollFirstEntry().getValue();
                underWay.add(entry);
            }
            send(entry, chain, peer);
        }
    }

    private void send(Entry entry, Chain chain, Peer peer) {
        long left = entry.deadlineAt - clock.nanoTime();
        if (left <= 0) {
            ended(entry, chain, null, expired());
            return;
        }
        Duration deadline =
                Duration.ofNanos(Math.min(left, TransferLimits.CHAIN_ATTEMPT.toNanos()));
        CompletableFuture<@Nullable ChainOutcome> before =
                entry.sentBefore
                        ? entry.command.doneBefore(peer, chain, deadline)
                        : CompletableFuture.completedFuture(null);
        entry.sentBefore = true;
        before.thenCompose(done ->
                        done != null
                                ? CompletableFuture.completedFuture(done)
                                : entry.command.send(peer, chain, deadline))
                .whenComplete((outcome, thrown) -> {
                    ended(
                            entry,
                            chain,
                            outcome,
                            thrown == null ? null : FarmException.of(thrown, "write", ""));
                    settle();
                });
    }

    private FarmException expired() {
        synchronized (lock) {
            FarmException last = lastFailure;
            return new FarmException(
                    ErrorKind.TIMED_OUT, "write", "", last == null ? "" : last.getMessage(), last);
        }
    }

    private void ended(
            Entry entry,
            Chain chain,
            @Nullable ChainOutcome outcome,
            @Nullable FarmException failure) {
        boolean succeeded = false;
        boolean refused = false;
        synchronized (lock) {
            underWay.remove(entry);
            if (outcome != null && outcome.getFailuresCount() == 0) {
                succeeded = true;
            } else if (outcome != null) {
                for (MemberFailure member : outcome.getFailuresList()) {
                    failed.add(member.getNode());
                    full |= ErrorKind.of(member.getErrorKind()) == ErrorKind.NO_SPACE;
                    reason = member.getDetail();
                }
                mending = true;
                standing.add(entry);
                entry.outcome = outcome;
            } else if (failure != null) {
                boolean over = entry.deadlineAt - clock.nanoTime() <= 0;
                boolean noSpace = failure.kind() == ErrorKind.NO_SPACE;
                boolean ofTheNode =
                        noSpace
                                ? entry.command.movesWhenFull()
                                : failure.kind().retry() != Retry.NEVER;
                refused = over || !ofTheNode;
                if (!refused) {
                    waiting.put(entry.order, entry);
                }
                if (noSpace && ofTheNode) {
                    entry.full.add(chain.head().getNode());
                }
                if (ofTheNode && !(over && failure.kind() == ErrorKind.TIMED_OUT)) {
                    noteFailure(failure, chain);
                }
            }
        }
        if (succeeded && outcome != null) {
            nodes.answered(chain.head().getNode());
            source.written(stripe);
            entry.result.complete(outcome);
        } else if (refused && failure != null) {
            entry.result.completeExceptionally(failure);
        }
    }

    private void headUnreachable(Chain chain, FarmException failure) {
        synchronized (lock) {
            noteFailure(failure, chain);
        }
    }

    /** Under the lock. What the head's failure means for the chain. */
    private void noteFailure(FarmException failure, @Nullable Chain chain) {
        lastFailure = failure;
        mending = true;
        reason = failure.getMessage();
        if (chain == null) {
            return;
        }
        boolean nodeIsFine =
                Nodes.isFineDespite(failure)
                        || failure.kind() == ErrorKind.OVERLOADED
                        || failure.kind() == ErrorKind.NOT_READY;
        boolean incapable =
                failure.kind() == ErrorKind.NO_SPACE || failure.kind() == ErrorKind.DISK_FAILED;
        // The only copy is not struck off for being out of reach: it is waited for.
        boolean only = chain.members().size() - chain.joining().size() <= 1;
        if (incapable || (!nodeIsFine && !only)) {
            failed.add(chain.head().getNode());
            full |= failure.kind() == ErrorKind.NO_SPACE;
        }
        if (!nodeIsFine) {
            nodes.failed(chain.head().getNode());
        }
    }

    /** Begins to mend once nothing is under way; otherwise goes on sending. */
    private void settle() {
        @Nullable Set<String> bad = null;
        boolean noSpace;
        String why;
        synchronized (lock) {
            if (mending && (sending || mendingRuns || !underWay.isEmpty())) {
                return;
            }
            if (mending) {
                mendingRuns = true;
                bad = toBeReported();
            }
            noSpace = full;
            why = reason;
        }
        if (bad == null) {
            pump();
            return;
        }
        Set<String> told = bad;
        long began = clock.nanoTime();
        source.mend(stripe, told, noSpace, why)
                .whenComplete((done, thrown) -> {
                    if (thrown == null) {
                        if (noSpace) {
                            // moving to nodes with room is no fault of what waited for it
                            extendDeadlines(clock.nanoTime() - began);
                        }
                        mended(told);
                    } else {
                        notMended(FarmException.of(thrown, "write", ""));
                    }
                });
    }

    /**
     * Under the lock. Of what is too much for any node the metaserver would try one after the other
     * for ever: it has to be told of those that were tried before.
     */
    private Set<String> toBeReported() {
        Set<String> all = new LinkedHashSet<>(failed);
        if (full) {
            waiting.values().forEach(entry -> all.addAll(entry.full));
        }
        return Set.copyOf(all);
    }

    private void extendDeadlines(long nanos) {
        synchronized (lock) {
            waiting.values().forEach(entry -> entry.deadlineAt += nanos);
        }
    }

    private long fenceNow() {
        synchronized (lock) {
            return fence;
        }
    }

    private void mended(Set<String> recorded) {
        List<Entry> done;
        boolean again;
        synchronized (lock) {
            failed.removeAll(recorded);
            full = false;
            done = new ArrayList<>(standing);
            standing.clear();
            again = !recorded.isEmpty();
            fence = fences.incrementAndGet();
            mendingRuns = false;
            mending = false;
        }
        for (Entry entry : done) {
            source.written(stripe);
            ChainOutcome outcome = entry.outcome;
            if (outcome != null) {
                entry.result.complete(outcome);
            }
        }
        if (again) {
            pump();
        } else {
            clock.after(TransferLimits.RETRY_PAUSE, this::pumpUnexpired);
        }
    }

    private void notMended(FarmException failure) {
        boolean hopeless = failure.kind().retry() == Retry.NEVER;
        long now = clock.nanoTime();
        List<Entry> over = new ArrayList<>();
        synchronized (lock) {
            lastFailure = failure;
            mendingRuns = false;
            standing.removeIf(entry -> take(over, entry, hopeless, now));
            waiting.values().removeIf(entry -> take(over, entry, hopeless, now));
            if (waiting.isEmpty() && standing.isEmpty()) {
                mending = false;
                failed.clear();
            }
        }
        over.forEach(entry -> entry.result.completeExceptionally(failure));
        clock.after(TransferLimits.RETRY_PAUSE, this::settle);
    }

    private static boolean take(List<Entry> over, Entry entry, boolean hopeless, long now) {
        boolean ends = hopeless || entry.deadlineAt - now <= 0;
        if (ends) {
            over.add(entry);
        }
        return ends;
    }

    private void pumpUnexpired() {
        long now = clock.nanoTime();
        List<Entry> over = new ArrayList<>();
        synchronized (lock) {
            waiting.values().removeIf(entry -> take(over, entry, false, now));
        }
        over.forEach(entry -> entry.result.completeExceptionally(expired()));
        pump();
    }
}
