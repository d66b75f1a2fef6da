package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.client.core.transfer.sending.ChainAction.Pass;
import org.gridfarm.client.core.transfer.sending.ChainAction.Remedy;
import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;
import org.gridfarm.client.core.transfer.sending.ChainEvent.Submitted;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The commands for one object, from their submission to their end, over members that fail, as pure
 * steps. They are sent in their order. A failure ends the sending; when nothing is under way any
 * more the failed members are recorded, and what is unfinished is sent again in its order to the
 * chain that is left, under a higher fence. A command that the others have done is done once those
 * that have not are recorded, not before.
 *
 * <pre>
 *           Submitted  Found     NotFound  NotDone   Sent      Failed    Mended   NotMended  Paused
 * Still     Finding    x         x         x         x         Draining  x        x          -
 * Resting   Finding    x         x         x         x         x         x        x          Finding
 * Finding   -          Sending   Draining  x         x         Stopping  x        x          -
 * Sending   -          x         x         Sending   Sending   Stopping  x        x          -
 *                                                    Finding
 *                                                    Still
 * Stopping  -          Draining  Draining  Draining  Draining  -         x        x          -
 * Draining  -          x         x         x         x         -         x        x          -
 * Mending   -          x         x         x         x         x         Finding  Broken     -
 * Moving                                                                 Still    Still
 *                                                                        Resting
 * Broken    -          x         x         x         x         x         x        x          Mending
 *                                                                                            Moving
 * </pre>
 *
 * <p>A dash changes no state, x is refused: whoever carries out the actions cannot have it.
 * Draining with nothing under way is Mending, or Moving where a node was full. Failed stands for
 * all that says something of a member: also Answered, if it names any. Answered that names none,
 * and a failure that no other node would mend, end a command and leave the state as it is. Due ends
 * a command that waits for anything, in every state but Moving, which may take its time.
 *
 * <p>Owned by whoever steps; one at a time.
 */
public final class ChainState {
    private static final class Entry {
        final Submitted order;
        long deadlineAt;
        int sendings;
        final Set<String> full = new LinkedHashSet<>(); // nodes without room for it

        Entry(Submitted order) {
            this.order = order;
            this.deadlineAt = order.deadlineAt();
        }
    }

    /** Done, but for members whose failures are not recorded. */
    private record Standing(Entry entry, ChainOutcome outcome, Set<String> holders) {}

    private final TreeMap<Long, Entry> waiting = new TreeMap<>();
    private final Map<Long, Entry> underWay = new HashMap<>();
    private final TreeMap<Long, Standing> standing = new TreeMap<>();
    private Phase phase = new Phase.Still();
    private long fence;
    private @Nullable FarmException lastFailure;

    /** Of the step that is taken. */
    private List<ChainAction> actions = new ArrayList<>();

    /** Of the step that is taken, in ns. */
    private long now;

    public ChainState(long fence) {
        this.fence = fence;
    }

    Phase phase() {
        return phase;
    }

    /**
     * What follows from it.
     *
     * @param at the time in ns, of any origin
     */
    public List<ChainAction> step(ChainEvent event, long at) {
        actions = new ArrayList<>();
        now = at;
        if (event instanceof Submitted order) {
            submitted(order);
        } else if (event instanceof ChainEvent.Found found) {
            found(found.head());
        } else if (event instanceof ChainEvent.NotFound not) {
            notFound(not);
        } else if (event instanceof ChainEvent.NotDone not) {
            notDone(not.number());
        } else if (event instanceof ChainEvent.Sent) {
            sent();
        } else if (event instanceof ChainEvent.Answered answered) {
            answered(answered);
        } else if (event instanceof ChainEvent.Failed failed) {
            failed(failed);
        } else if (event instanceof ChainEvent.Mended mended) {
            mended(mended.fence());
        } else if (event instanceof ChainEvent.NotMended not) {
            notMended(not.failure());
        } else if (event instanceof ChainEvent.Due due) {
            due(due.number());
        } else {
            paused();
        }
        return actions;
    }

    // ---- sending

    private void submitted(Submitted order) {
        waiting.put(order.number(), new Entry(order));
        if (phase instanceof Phase.Still || phase instanceof Phase.Resting) {
            goOn();
        }
    }

    private void goOn() {
        if (waiting.isEmpty()) {
            phase = new Phase.Still();
            return;
        }
        Pass pass = waiting.firstEntry().getValue().order.claims() ? Pass.CLAIMS : Pass.ALL;
        phase = new Phase.Finding(pass);
        actions.add(new ChainAction.Find(pass));
    }

    private void found(Head head) {
        if (phase instanceof Phase.Finding finding) {
            phase = new Phase.Sending(head, finding.pass());
            next(finding.pass());
        } else {
            stopped();
        }
    }

    private void notFound(ChainEvent.NotFound event) {
        if (phase instanceof Phase.Finding || phase instanceof Phase.Stopping) {
            damaged(event.failure(), event.head());
        }
        stopped();
    }

    private void sent() {
        if (phase instanceof Phase.Sending sending) {
            next(sending.pass());
        } else {
            stopped();
        }
    }

    /** Sends the first of those that wait; without any that may go in this pass it is over. */
    private void next(Pass pass) {
        while (!waiting.isEmpty()) {
            Entry first = waiting.firstEntry().getValue();
            if (pass == Pass.CLAIMS && !first.order.claims()) {
                break;
            }
            waiting.pollFirstEntry();
            long number = first.order.number();
            if (isOver(first)) {
                fail(first, expired());
                continue;
            }
            underWay.put(number, first);
            boolean again = first.sendings++ > 0;
            actions.add(
                    again
                            ? new ChainAction.Look(number, fence, attempt(first))
                            : new ChainAction.Send(number, fence, attempt(first)));
            return;
        }
        goOn();
    }

    private Duration attempt(Entry entry) {
        long left = entry.deadlineAt - now;
        return Duration.ofNanos(Math.min(left, TransferLimits.CHAIN_ATTEMPT.toNanos()));
    }

    private void notDone(long number) {
        Entry entry = ofThoseUnderWay(number);
        boolean goes = phase instanceof Phase.Sending && !isOver(entry);
        if (goes) {
            actions.add(new ChainAction.Send(number, fence, attempt(entry)));
            return;
        }
        underWay.remove(number);
        if (isOver(entry)) {
            fail(entry, expired());
        } else {
            waiting.put(number, entry);
        }
        sent();
    }

    private Entry ofThoseUnderWay(long number) {
        Entry entry = underWay.get(number);
        if (entry == null) {
            throw refused("command " + number + " is not under way");
        }
        return entry;
    }

    private IllegalStateException refused(String what) {
        return new IllegalStateException(what + " in " + phase);
    }

    // ---- what became of it

    private void answered(ChainEvent.Answered event) {
        Entry entry = ofThoseUnderWay(event.number());
        underWay.remove(event.number());
        List<MemberFailure> failures = event.outcome().getFailuresList();
        if (failures.isEmpty()) {
            actions.add(new ChainAction.Trust(event.head().node()));
            actions.add(new ChainAction.Complete(event.number(), event.outcome()));
        } else {
            Set<String> holders = new LinkedHashSet<>(event.head().holders());
            for (MemberFailure failure : failures) {
                boolean full = ErrorKind.of(failure.getErrorKind()) == ErrorKind.NO_SPACE;
                damaged(
                        new Damage(
                                Set.of(failure.getNode()),
                                full ? Remedy.MOVE : Remedy.GO_ON_WITHOUT,
                                failure.getDetail()));
                holders.remove(failure.getNode());
            }
            standing.put(event.number(), new Standing(entry, event.outcome(), holders));
        }
        mendIfDrained();
    }

    private void failed(ChainEvent.Failed event) {
        Entry entry = ofThoseUnderWay(event.number());
        underWay.remove(event.number());
        ErrorKind kind = event.failure().kind();
        boolean ofTheNode =
                kind == ErrorKind.NO_SPACE
                        ? entry.order.movesWhenFull()
                        : kind.retry() != Retry.NEVER;
        boolean over = isOver(entry);
        if (over || !ofTheNode) {
            fail(entry, event.failure());
        } else {
            waiting.put(event.number(), entry);
            if (kind == ErrorKind.NO_SPACE) {
                entry.full.add(event.head().node());
            }
        }
        // Who had no time left says nothing of the node.
        if (ofTheNode && !(over && kind == ErrorKind.TIMED_OUT)) {
            damaged(event.failure(), event.head());
        }
        mendIfDrained();
    }

    /** What the head's failure means for the chain. */
    private void damaged(FarmException failure, @Nullable Head head) {
        lastFailure = failure;
        Set<String> struck = head == null ? Set.of() : struckOff(head, failure);
        boolean full = failure.kind() == ErrorKind.NO_SPACE && !struck.isEmpty();
        damaged(
                new Damage(
                        struck, full ? Remedy.MOVE : Remedy.GO_ON_WITHOUT, failure.getMessage()));
    }

    private Set<String> struckOff(Head head, FarmException failure) {
        ErrorKind kind = failure.kind();
        if (Nodes.isFineDespite(failure)
                || kind == ErrorKind.OVERLOADED
                || kind == ErrorKind.NOT_READY) {
            return Set.of();
        }
        actions.add(new ChainAction.Suspect(head.node()));
        boolean incapable = kind == ErrorKind.NO_SPACE || kind == ErrorKind.DISK_FAILED;
        // The only copy is not struck off for being out of reach: it is waited for.
        return incapable || head.holders().size() > 1 ? Set.of(head.node()) : Set.of();
    }

    private void damaged(Damage more) {
        if (phase instanceof Phase.Finding || phase instanceof Phase.Sending) {
            phase = new Phase.Stopping(more);
        } else if (phase instanceof Phase.Stopping stopping) {
            phase = new Phase.Stopping(stopping.damage().and(more));
        } else if (phase instanceof Phase.Draining draining) {
            phase = new Phase.Draining(draining.damage().and(more));
        } else {
            phase = new Phase.Draining(more);
        }
    }

    // ---- mending

    /** Whoever found or sent has returned. */
    private void stopped() {
        if (!(phase instanceof Phase.Stopping stopping)) {
            throw refused("nobody is to return");
        }
        phase = new Phase.Draining(stopping.damage());
        mendIfDrained();
    }

    private void mendIfDrained() {
        if (phase instanceof Phase.Draining draining && underWay.isEmpty()) {
            mend(draining.damage());
        }
    }

    private void mend(Damage damage) {
        Set<String> all = new LinkedHashSet<>(damage.failed());
        // What nobody has any more is sent again, wherever the chain goes on.
        for (Standing one : List.copyOf(standing.values())) {
            if (all.containsAll(one.holders())) {
                standing.remove(one.entry().order.number());
                waiting.put(one.entry().order.number(), one.entry());
            }
        }
        if (damage.remedy() == Remedy.MOVE) {
            // Of what is too much for any node the metaserver would try one after the other for
            // ever: it has to be told of those that were tried before.
            waiting.values().forEach(entry -> all.addAll(entry.full));
            phase = new Phase.Moving(damage, now);
        } else {
            phase = new Phase.Mending(damage);
        }
        actions.add(new ChainAction.Mend(Set.copyOf(all), damage.remedy(), damage.reason()));
    }

    private Damage beingMended() {
        if (phase instanceof Phase.Mending mending) {
            return mending.damage();
        }
        if (phase instanceof Phase.Moving moving) {
            return moving.damage();
        }
        throw refused("nothing is being mended");
    }

    private void mended(long higherFence) {
        Damage damage = beingMended();
        if (phase instanceof Phase.Moving moving) {
            // no fault of what waited for it
            waiting.values().forEach(entry -> entry.deadlineAt += now - moving.since());
        }
        fence = higherFence;
        standing.forEach(
                (number, one) -> actions.add(new ChainAction.Complete(number, one.outcome())));
        standing.clear();
        if (damage.failed().isEmpty() && !waiting.isEmpty()) {
            phase = new Phase.Resting();
            actions.add(new ChainAction.Pause());
        } else {
            goOn();
        }
    }

    private void notMended(FarmException failure) {
        Damage damage = beingMended();
        lastFailure = failure;
        boolean hopeless = failure.kind().retry() == Retry.NEVER;
        List<Entry> over = new ArrayList<>();
        standing.values().removeIf(one -> take(over, one.entry(), hopeless));
        waiting.values().removeIf(entry -> take(over, entry, hopeless));
        over.forEach(entry -> fail(entry, failure));
        if (waiting.isEmpty() && standing.isEmpty()) {
            phase = new Phase.Still();
        } else {
            phase = new Phase.Broken(damage);
            actions.add(new ChainAction.Pause());
        }
    }

    private boolean take(Collection<Entry> over, Entry entry, boolean hopeless) {
        return (hopeless || isOver(entry)) && over.add(entry);
    }

    private void paused() {
        if (phase instanceof Phase.Broken broken) {
            mend(broken.damage());
        } else if (phase instanceof Phase.Resting) {
            List<Entry> over = new ArrayList<>();
            waiting.values().removeIf(entry -> take(over, entry, false));
            over.forEach(entry -> fail(entry, expired()));
            goOn();
        }
    }

    // ---- time

    /**
     * Whatever is being waited for, the caller is told in time. What is under way ends by itself.
     */
    private void due(long number) {
        Standing stands = standing.get(number);
        Entry entry = stands != null ? stands.entry() : waiting.get(number);
        if (entry == null) {
            entry = underWay.get(number);
        }
        if (entry == null) {
            return; // it has ended
        }
        if (phase instanceof Phase.Moving) {
            actions.add(new ChainAction.Wake(number, TransferLimits.RETRY_PAUSE));
        } else if (!isOver(entry)) {
            actions.add(new ChainAction.Wake(number, Duration.ofNanos(entry.deadlineAt - now)));
        } else if (!underWay.containsKey(number)) {
            waiting.remove(number);
            standing.remove(number);
            fail(entry, expired());
        }
    }

    private boolean isOver(Entry entry) {
        return entry.deadlineAt - now <= 0;
    }

    private void fail(Entry entry, FarmException failure) {
        actions.add(new ChainAction.Fail(entry.order.number(), failure));
    }

    private FarmException expired() {
        FarmException last = lastFailure;
        return new FarmException(
                ErrorKind.TIMED_OUT, "write", "", last == null ? "" : last.getMessage(), last);
    }
}
