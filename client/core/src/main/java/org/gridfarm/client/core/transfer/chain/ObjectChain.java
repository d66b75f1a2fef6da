package org.gridfarm.client.core.transfer.chain;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.client.core.transfer.sending.ChainAction;
import org.gridfarm.client.core.transfer.sending.ChainEvent;
import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;
import org.gridfarm.client.core.transfer.sending.ChainState;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What this process sends down the chain of one object, in order, over members that fail: carries
 * out what {@link ChainState} says. Thread-safe.
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

    /**
     * @param aside nobody's change: who waits for what he sent does not wait for it
     * @param ended when all that follows from the result has been done
     */
    private record Pending(
            Command command,
            boolean aside,
            CompletableFuture<ChainOutcome> result,
            CompletableFuture<Void> ended) {}

    private record Route(Chain chain, Peer peer, Head head) {}

    private static final Logger log = LoggerFactory.getLogger(ObjectChain.class);

    private final int stripe;
    private final Source source;
    private final Nodes nodes;
    private final Clock clock;
    private final AtomicLong fences;
    private final Map<Long, Pending> pending = new ConcurrentHashMap<>(); // by number
    private volatile @Nullable Route route; // of the one who sends

    private final Object lock = new Object(); // no foreign code is called under it

    @GuardedBy("lock")
    private final ChainState state;

    @GuardedBy("lock")
    private long submitted;

    public ObjectChain(int stripe, Source source, Nodes nodes, Clock clock, AtomicLong fences) {
        this.fences = fences;
        this.state = new ChainState(fences.incrementAndGet());
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
        Pending one =
                new Pending(command, aside, new CompletableFuture<>(), new CompletableFuture<>());
        boolean claims = command.claims();
        boolean moves = command.movesWhenFull();
        long number;
        List<ChainAction> actions;
        synchronized (lock) {
            number = submitted++;
            pending.put(number, one);
            long now = clock.nanoTime();
            actions =
                    state.step(
                            new ChainEvent.Submitted(
                                    number, now + deadline.toNanos(), claims, moves),
                            now);
        }
        wake(number, one, deadline);
        carryOut(actions);
        return one.result;
    }

    private void wake(long number, Pending one, Duration after) {
        Clock.Timer timer = clock.after(after, () -> take(new ChainEvent.Due(number)));
        one.result.whenComplete((outcome, thrown) -> timer.cancel());
    }

    /** Completes when everything submitted so far, and not aside, has ended, well or not. */
    public CompletableFuture<Void> drained() {
        return CompletableFuture.allOf(
                pending.values().stream()
                        .filter(one -> !one.aside)
                        .map(Pending::ended)
                        .toArray(CompletableFuture<?>[]::new));
    }

    private void take(ChainEvent event) {
        try {
            carryOut(step(event));
        } catch (IllegalStateException e) {
            log.error("stripe {}: {}", stripe, event, e); // futures would keep it to themselves
            throw e;
        }
    }

    private List<ChainAction> step(ChainEvent event) {
        synchronized (lock) {
            return state.step(event, clock.nanoTime());
        }
    }

    private void carryOut(List<ChainAction> first) {
        Deque<ChainAction> left = new ArrayDeque<>(first);
        while (!left.isEmpty()) {
            ChainEvent follows = carryOut(left.removeFirst());
            if (follows != null) {
                left.addAll(step(follows));
            }
        }
    }

    /** Returns what follows at once, if anything. */
    private @Nullable ChainEvent carryOut(ChainAction action) {
        if (action instanceof ChainAction.Send send) {
            return send(send);
        }
        if (action instanceof ChainAction.Look look) {
            return look(look);
        }
        if (action instanceof ChainAction.Find find) {
            find(find.pass() == ChainAction.Pass.ALL);
        } else if (action instanceof ChainAction.Complete complete) {
            source.written(stripe);
            end(complete.number(), one -> one.complete(complete.outcome()));
        } else if (action instanceof ChainAction.Fail fail) {
            end(fail.number(), one -> one.completeExceptionally(fail.failure()));
        } else if (action instanceof ChainAction.Mend mend) {
            mend(mend);
        } else if (action instanceof ChainAction.Wake wake) {
            Pending one = pending.get(wake.number());
            if (one != null) { // it may have ended meanwhile
                wake(wake.number(), one, wake.after());
            }
        } else if (action instanceof ChainAction.Trust trust) {
            nodes.answered(trust.node());
        } else if (action instanceof ChainAction.Suspect suspect) {
            nodes.failed(suspect.node());
        } else {
            clock.after(TransferLimits.RETRY_PAUSE, () -> take(new ChainEvent.Paused()));
        }
        return null;
    }

    private Pending known(long number) {
        return Objects.requireNonNull(pending.get(number));
    }

    private void end(long number, Consumer<CompletableFuture<ChainOutcome>> with) {
        Pending one = known(number);
        with.accept(one.result);
        pending.remove(number);
        one.ended.complete(null);
    }

    private void find(boolean claimed) {
        source.chain(stripe, claimed)
                .thenCompose(chain ->
                        nodes.connect(chain.head())
                                .<ChainEvent>handle((peer, thrown) -> {
                                    Head head = head(chain);
                                    if (thrown == null) {
                                        route = new Route(chain, peer, head);
                                        return new ChainEvent.Found(head);
                                    }
                                    return new ChainEvent.NotFound(
                                            head, FarmException.of(thrown, "connect", head.node()));
                                }))
                .exceptionally(thrown ->
                        new ChainEvent.NotFound(null, FarmException.of(thrown, "write", "")))
                .thenAccept(this::take);
    }

    private static Head head(Chain chain) {
        Set<String> joining = chain.joining();
        return new Head(
                chain.head().getNode(),
                chain.members().stream()
                        .map(Replica::getNode)
                        .filter(node -> !joining.contains(node))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private ChainEvent send(ChainAction.Send send) {
        Route to = Objects.requireNonNull(route);
        Command command = known(send.number()).command;
        Chain chain = to.chain.fenced(send.fence());
        CompletableFuture.completedFuture(to.peer)
                .thenCompose(peer -> command.send(peer, chain, send.deadline()))
                .whenComplete((outcome, thrown) ->
                        take(
                                thrown == null
                                        ? new ChainEvent.Answered(send.number(), to.head(), outcome)
                                        : failed(send.number(), to, thrown)));
        return new ChainEvent.Sent();
    }

    /** Without recursion where the answer is there at once: there may be many. */
    private @Nullable ChainEvent look(ChainAction.Look look) {
        Route to = Objects.requireNonNull(route);
        Command command = known(look.number()).command;
        Chain chain = to.chain.fenced(look.fence());
        CompletableFuture<ChainEvent> found =
                CompletableFuture.completedFuture(to.peer)
                        .thenCompose(peer -> command.doneBefore(peer, chain, look.deadline()))
                        .<ChainEvent>handle((done, thrown) -> {
                            if (thrown != null) {
                                return failed(look.number(), to, thrown);
                            }
                            return done == null
                                    ? new ChainEvent.NotDone(look.number())
                                    : new ChainEvent.Answered(look.number(), to.head(), done);
                        });
        if (found.isDone()) {
            return looked(found.join());
        }
        found.thenAccept(event -> take(looked(event)));
        return null;
    }

    /** What is left to be told. */
    private ChainEvent looked(ChainEvent found) {
        if (found instanceof ChainEvent.NotDone) {
            return found;
        }
        take(found);
        return new ChainEvent.Sent();
    }

    private static ChainEvent failed(long number, Route to, Throwable thrown) {
        return new ChainEvent.Failed(number, to.head(), FarmException.of(thrown, "write", ""));
    }

    private void mend(ChainAction.Mend mend) {
        boolean full = mend.remedy() == ChainAction.Remedy.MOVE;
        source.mend(stripe, mend.failed(), full, mend.reason())
                .<ChainEvent>handle((done, thrown) ->
                        thrown == null
                                ? new ChainEvent.Mended(fences.incrementAndGet())
                                : new ChainEvent.NotMended(FarmException.of(thrown, "write", "")))
                .thenAccept(this::take);
    }
}
