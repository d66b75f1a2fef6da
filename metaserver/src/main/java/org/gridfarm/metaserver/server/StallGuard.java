package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Notices that this process did not run for a while (stopped, starved, a long collection): then
 * somebody else may lead, and what memory says may be old. Calls wait until the database has said
 * that the epoch is still ours. Event thread.
 */
final class StallGuard {
    private static final Logger log = LoggerFactory.getLogger(StallGuard.class);

    private final JournalStore store;
    private final long epoch;
    private final Executor blocking;
    private final EventThread events;
    private final Runnable deposed;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private long lastAlive;
    private boolean doubtful;

    /**
     * @param certain when the epoch was certainly ours, or not yet anybody's: claiming and loading
     *     may have taken long, and the process may have been stopped meanwhile
     */
    StallGuard(
            JournalStore store,
            long epoch,
            long certain,
            Executor blocking,
            EventThread events,
            Runnable deposed) {
        this.store = store;
        this.epoch = epoch;
        this.lastAlive = certain;
        this.blocking = blocking;
        this.events = events;
        this.deposed = deposed;
    }

    /** Runs the call now, or when it is certain that this server still leads. */
    void run(Runnable call) {
        look();
        if (doubtful) waiting.add(call);
        else call.run();
    }

    /** Called by every tick and every call. */
    void look() {
        long now = System.nanoTime();
        long gap = now - lastAlive;
        lastAlive = now;
        if (doubtful || gap < ServerLimits.STALL_MAX.toNanos()) return;
        doubtful = true;
        log.warn(
                "{} ms since this process was last seen to run; asking whether it still leads",
                gap / 1_000_000);
        blocking.execute(this::ask);
    }

    private void ask() {
        boolean mine;
        try {
            mine = store.currentEpoch() == epoch;
        } catch (StoreException e) {
            log.warn("{}; giving up the lead", e.getMessage());
            mine = false;
        }
        boolean still = mine;
        events.submit(() -> answered(still));
    }

    private void answered(boolean still) {
        if (!still) {
            waiting.clear();
            deposed.run();
            return;
        }
        doubtful = false;
        while (!waiting.isEmpty()) waiting.remove().run();
    }

    boolean isDoubtful() {
        return doubtful;
    }
}
