package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.protocol.env.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Whether this server certainly still leads.
 *
 * <p>Usually the coordination service sees to that: it lets nobody else lead while our session
 * stands. Where that is lost ({@link #lost}) the database says it, asked again and again: a new
 * leader claims an epoch there before it does anything else, and completes no change until the
 * leases of its predecessor have run out. So what was true when the database was last asked may be
 * believed for {@link ServerLimits#STALL_MAX}, and leases given here end as if given then. Who does
 * not run for so long (stopped, starved, a long collection) asks before anything else, too.
 *
 * <p>Calls wait while it is not certain. Nobody waits for the answers to what an elected leader
 * asks: but somebody who was elected before it, and was stopped until after, may still claim an
 * epoch, and lead as long as the database says so.
 *
 * <p>Event thread.
 */
public final class Tenure {
    /** Several answers must be lost before calls wait for one. */
    static final Duration ASK_EVERY = ServerLimits.STALL_MAX.dividedBy(4);

    private static final Logger log = LoggerFactory.getLogger(Tenure.class);

    private enum Answer {
        OURS,
        ANOTHERS,
        NONE
    }

    private final JournalStore store;
    private final long epoch;
    private final Clock clock;
    private final Executor blocking;
    private final Executor events;
    private final Runnable deposed;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private long lastAlive;
    private long askedAt;
    private boolean asking;
    private boolean doubtful;

    /** The database alone says that we lead; then the two below count. */
    private boolean unelected;

    private long confirmedAt;

    /** Which of our questions the database answered last was asked then. */
    private volatile long answeredAt;

    private boolean electedAgain;
    private long electedAt;

    /**
     * @param certain when the epoch was certainly ours, or not yet anybody's: claiming and loading
     *     may have taken long, and the process may have been stopped meanwhile
     * @param deposed told once when the epoch is another's
     */
    public Tenure(
            JournalStore store,
            long epoch,
            long certain,
            Clock clock,
            Executor blocking,
            Executor events,
            Runnable deposed) {
        this.store = store;
        this.epoch = epoch;
        this.lastAlive = certain;
        this.askedAt = certain;
        this.answeredAt = certain;
        this.clock = clock;
        this.blocking = blocking;
        this.events = events;
        this.deposed = deposed;
    }

    /** Runs the call now, or when it is certain that this server still leads. */
    public void run(Runnable call) {
        look();
        if (doubtful) waiting.add(call);
        else call.run();
    }

    /** Called by every tick and every call. */
    public void look() {
        long now = clock.nanoTime();
        long gap = now - lastAlive;
        lastAlive = now;
        boolean stalled = gap >= ServerLimits.STALL_MAX.toNanos();
        if (stalled && !doubtful) {
            log.warn(
                    "{} ms since this process was last seen to run; asking whether it still leads",
                    gap / 1_000_000);
        }
        if (stalled || unelected && isOld(confirmedAt, now)) doubtful = true;
        boolean due = now - askedAt >= ASK_EVERY.toNanos() || stalled;
        if (due && !asking) ask(now);
    }

    private static boolean isOld(long then, long now) {
        return now - then >= ServerLimits.STALL_MAX.toNanos();
    }

    /** The coordination service no longer says who leads, or soon lets another try. */
    public void lost() {
        unelected = true;
        electedAgain = false;
        doubtful = true;
        if (!asking) ask(clock.nanoTime());
    }

    /** The coordination service lets this server lead, as it does already. */
    public void elected() {
        electedAgain = true;
        electedAt = clock.nanoTime();
    }

    /** What may be left of a lease that is given now. */
    public Duration left(Duration lease) {
        if (!unelected) return lease;
        Duration rest = lease.minusNanos(clock.nanoTime() - confirmedAt);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** The database alone says that this server leads. */
    public boolean isUnelected() {
        return unelected;
    }

    /**
     * Since the question that the database answered last: as a rule hardly more than {@link
     * #ASK_EVERY}. May be called by any thread.
     */
    public Duration silence() {
        return Duration.ofNanos(clock.nanoTime() - answeredAt);
    }

    public boolean isDoubtful() {
        return doubtful;
    }

    /** It has not run for a while, and who was elected meanwhile it has not heard. */
    private boolean isStalled() {
        return doubtful && !unelected;
    }

    private void ask(long now) {
        asking = true;
        askedAt = now;
        boolean awaited = doubtful || unelected;
        blocking.execute(() -> {
            Answer answer;
            try {
                answer = store.currentEpoch() == epoch ? Answer.OURS : Answer.ANOTHERS;
            } catch (StoreException e) {
                log.atLevel(awaited ? Level.WARN : Level.DEBUG)
                        .log("whether this server still leads: {}", e.getMessage());
                answer = Answer.NONE;
            } catch (RuntimeException | Error e) { // else it would not be asked ever again
                log.error("whether this server still leads cannot be asked", e);
                answer = Answer.NONE;
            }
            Answer told = answer;
            events.execute(() -> answered(told, now));
        });
    }

    private void answered(Answer answer, long sent) {
        asking = false;
        if (answer != Answer.NONE) answeredAt = sent;
        boolean over = answer == Answer.ANOTHERS || answer == Answer.NONE && isStalled();
        if (over) {
            waiting.clear();
            deposed.run();
            return;
        }
        // Where there is no answer, nobody else has claimed an epoch either: look() asks again.
        if (answer == Answer.NONE || isOld(sent, clock.nanoTime())) return;
        confirmedAt = sent;
        if (unelected && electedAgain && sent - electedAt >= 0) unelected = false;
        doubtful = false;
        while (!doubtful && !waiting.isEmpty()) waiting.remove().run();
    }
}
