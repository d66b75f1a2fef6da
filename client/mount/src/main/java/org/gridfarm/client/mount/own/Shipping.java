package org.gridfarm.client.mount.own;

import com.google.protobuf.InvalidProtocolBufferException;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What was decided here and the leader is still to be told, in its order, one shipment under way at
 * a time.
 *
 * <pre>
 *   STOPPED ----reopened----> RESTORING --goesOn--> IDLE --begin--> UNDER_WAY
 *      ^ the session ended        ^                  ^------took-------/
 *      \-- any                    \-- IDLE or UNDER_WAY, another leader
 * </pre>
 *
 * Pure but for the log in which it stands; guarded by its owner's lock.
 */
final class Shipping implements AutoCloseable {
    static final Duration BETWEEN = Duration.ofMillis(10);
    static final Duration UNTOLD_MAX = Duration.ofSeconds(1);

    /** So many commands leave without waiting for more. */
    static final int MANY = 128;

    static final int WAITING_MAX = 4096;
    static final int COMMAND_BYTES_MAX = 1 << 16;

    private enum Phase {
        /** There is no session to tell it in. */
        STOPPED,
        /** A leader is being told before anything else is asked of it. */
        RESTORING,
        IDLE,
        UNDER_WAY
    }

    /** A shipment; the answer to one that another has replaced counts for nothing. */
    record Begun(ShipRequest request, long turn) {}

    /** What nobody will ever be told of, and who waits for it. */
    record Lost(List<ShippedCommand> commands, List<CompletableFuture<Void>> waiters) {}

    private record Waiting(ShippedCommand command, long since) {}

    private record Waiter(long upTo, CompletableFuture<Void> told) {}

    private final OwnLog log;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    /** Given back by this mount itself, when the next shipment says so. */
    private final Set<Long> returning = new LinkedHashSet<>();

    private Phase phase;
    private long decided;
    private long told;
    private long shipments;
    private long shipped;
    private long lost;
    private long turn;
    private long begunAt;
    private int commandsUnderWay;
    private boolean beginsSoon; // a timer is set
    private @Nullable CompletableFuture<Void> inherited;

    /**
     * @param kept by a former process, not told yet
     * @param goesOn there was a former process, and its session is to be opened again
     */
    Shipping(OwnLog log, List<ShippedCommand> kept, boolean goesOn, long now) {
        this.log = log;
        this.begunAt = now;
        this.phase = goesOn ? Phase.STOPPED : Phase.IDLE;
        this.inherited = goesOn ? new CompletableFuture<>() : null;
        for (ShippedCommand command : kept) waiting.add(new Waiting(command, now));
        this.decided = kept.size();
    }

    /** What a former process has left in its log. */
    static List<ShippedCommand> recovered(OwnLog log) throws IOException {
        List<ShippedCommand> kept = new ArrayList<>();
        for (byte[] record : log.recover()) kept.add(parsed(record));
        return kept;
    }

    private static ShippedCommand parsed(byte[] record) throws IOException {
        try {
            return ShippedCommand.parseFrom(record);
        } catch (InvalidProtocolBufferException e) {
            throw new IOException("a change of the former process cannot be read", e);
        }
    }

    // ---- what is decided

    boolean isStopped() {
        return phase == Phase.STOPPED;
    }

    /** The leader is too far behind to be told of still more. */
    boolean isBehind(long now) {
        Waiting oldest = waiting.peek();
        return oldest != null
                && (waiting.size() >= WAITING_MAX
                        || now - oldest.since >= UNTOLD_MAX.toNanos()
                        || !log.hasRoom(COMMAND_BYTES_MAX + 128));
    }

    void add(ShippedCommand command, long now) {
        log.add(command.toByteArray());
        waiting.add(new Waiting(command, now));
        decided++;
    }

    /** The mount gives a directory back, behind all that was decided in it. */
    void giveBack(long directory) {
        returning.add(directory);
    }

    /**
     * What was delegated to this session that this process knows nothing of; completes when it is
     * given back. Null: there is nothing.
     */
    @Nullable CompletableFuture<Void> inherited() {
        return inherited;
    }

    /**
     * Whether a directory that the leader gives now is kept. Not while it is still to hear that
     * nothing is this session's own: that may be on its way, and would take this one, too.
     */
    boolean keepsGiven() {
        return phase != Phase.STOPPED && inherited == null;
    }

    // ---- for people who look

    int waiting() {
        return waiting.size();
    }

    /** Nanoseconds since the oldest was decided that the leader does not know; 0: there is none. */
    long oldestNanos(long now) {
        Waiting oldest = waiting.peek();
        return oldest == null ? 0 : now - oldest.since;
    }

    /** Answered by the leader. */
    long shipments() {
        return shipments;
    }

    /** Commands in them that it took. */
    long shipped() {
        return shipped;
    }

    long lost() {
        return lost;
    }

    // ---- when it is told

    /** Completes when all that was decided so far is told; null: it is. */
    @Nullable CompletableFuture<Void> told() {
        if (waiting.isEmpty()) return null;
        CompletableFuture<Void> mine = new CompletableFuture<>();
        waiters.add(new Waiter(decided, mine));
        return mine;
    }

    boolean isNothing() {
        return waiting.isEmpty() && returning.isEmpty() && inherited == null;
    }

    /** Somebody waits, or so many commands do that a shipment need not wait for more. */
    boolean isUrgent() {
        return !waiters.isEmpty() || waiting.size() - commandsUnderWay >= MANY;
    }

    /** When the next shipment is to begin by itself, for a timer; null: one is set, or none is. */
    @Nullable Duration nextIn(long now) {
        if (beginsSoon || phase != Phase.IDLE || isNothing()) return null;
        beginsSoon = true;
        return Duration.ofNanos(Math.max(0, begunAt + BETWEEN.toNanos() - now));
    }

    void timeIsUp() {
        beginsSoon = false;
    }

    /**
     * The next shipment; null: there is none to begin.
     *
     * @param shipment what else it says
     */
    @Nullable Begun begin(ShipRequest.Builder shipment, long now) {
        if (phase != Phase.IDLE || isNothing()) return null;
        take(shipment);
        if (commandsUnderWay == waiting.size()) {
            shipment.addAllReturned(returning).setNothingOwn(inherited != null);
        }
        phase = Phase.UNDER_WAY;
        return begun(shipment, now);
    }

    /**
     * The same for a leader that is told before anything else is asked of it. What a former process
     * had is given back later, when its files are open again.
     */
    @Nullable Begun beginRestoring(ShipRequest.Builder shipment, long now) {
        if (waiting.isEmpty()) return null;
        take(shipment);
        return begun(shipment, now);
    }

    private void take(ShipRequest.Builder shipment) {
        waiting.stream()
                .limit(MetadataMethods.SHIPPED_MAX)
                .forEach(one -> shipment.addCommands(one.command));
        commandsUnderWay = shipment.getCommandsCount();
    }

    private Begun begun(ShipRequest.Builder shipment, long now) {
        begunAt = now;
        return new Begun(shipment.build(), ++turn);
    }

    boolean isCurrent(Begun begun) {
        return begun.turn == turn;
    }

    /**
     * The leader has answered the shipment under way.
     *
     * @return who waits no more; to be told without the lock
     */
    List<CompletableFuture<Void>> took(Begun begun, ShipReply reply) {
        List<CompletableFuture<Void>> over = new ArrayList<>();
        for (int i = 0; i < reply.getDone(); i++) {
            waiting.remove();
            log.drop();
        }
        told += reply.getDone();
        shipped += reply.getDone();
        shipments++;
        commandsUnderWay = 0;
        if (phase == Phase.UNDER_WAY) phase = Phase.IDLE;
        if (reply.getRefusal() == 0) {
            begun.request.getReturnedList().forEach(returning::remove);
            if (begun.request.getNothingOwn() && inherited != null) {
                over.add(inherited);
                inherited = null;
            }
        }
        while (!waiters.isEmpty() && waiters.element().upTo <= told) {
            over.add(waiters.remove().told);
        }
        return over;
    }

    // ---- the session

    /** Another leader is to be told: what was under way counts for nothing. */
    void reopened() {
        turn++;
        commandsUnderWay = 0;
        phase = Phase.RESTORING;
    }

    void goesOn() {
        phase = Phase.IDLE;
    }

    /**
     * The session is over for now.
     *
     * @return who waited in vain
     */
    List<CompletableFuture<Void>> stop() {
        phase = Phase.STOPPED;
        commandsUnderWay = 0;
        return takeWaiters();
    }

    /** All of it; what is delegated to the session counts as unknown from now on. */
    Lost lose() {
        List<ShippedCommand> commands = waiting.stream().map(Waiting::command).toList();
        lost += commands.size();
        for (int i = 0; i < waiting.size(); i++) log.drop();
        waiting.clear();
        returning.clear();
        told = decided;
        commandsUnderWay = 0;
        if (phase == Phase.UNDER_WAY) phase = Phase.IDLE;
        if (inherited == null) inherited = new CompletableFuture<>();
        return new Lost(commands, takeWaiters());
    }

    private List<CompletableFuture<Void>> takeWaiters() {
        List<CompletableFuture<Void>> all = waiters.stream().map(Waiter::told).toList();
        waiters.clear();
        return all;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
