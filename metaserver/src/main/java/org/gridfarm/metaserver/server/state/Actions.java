package org.gridfarm.metaserver.server.state;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Consumer;

/**
 * Runs the actions of a body of {@link Events}: counts them, and tells their owner of what one
 * threw before the next one runs. Owned by whoever has the turn.
 */
public final class Actions {
    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private final Runnable endOfRound;
    private final Runnable tick;
    private final Consumer<Throwable> failed;
    private long number;

    /**
     * @param failed told, within the same action, of what an action threw
     */
    public Actions(Runnable endOfRound, Runnable tick, Consumer<Throwable> failed) {
        this.endOfRound = endOfRound;
        this.tick = tick;
        this.failed = failed;
    }

    /** Of the action that runs. */
    public long number() {
        return number;
    }

    public void tick() {
        run(tick);
    }

    public void endRound() {
        run(endOfRound);
    }

    public void run(Runnable action) {
        number++;
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.error("an action on the event thread failed", e);
            told(e);
        }
    }

    private void told(Throwable failure) {
        try {
            failed.accept(failure);
        } catch (RuntimeException | Error e) {
            log.error("so did what was to follow from it", e);
        }
    }
}
