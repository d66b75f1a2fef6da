package org.gridfarm.test.sim;

import org.gridfarm.protocol.env.SimClock;

import java.time.Duration;
import java.util.Random;

/** A connection: in order, with delays, until it is cut. */
final class Line {
    private static final int DELAY_MICROS_MAX = 2_000;
    private static final int SLOW_MICROS_MAX = 60_000;
    private static final int SLOW_EVERY = 30;

    private final SimClock clock;
    private final Random random;
    private final End one;
    private final End other;
    private boolean open = true;

    private static final class End {
        final Node node;
        final int life;
        final Runnable closed;
        long last;

        End(Node node, Runnable closed) {
            this.node = node;
            this.life = node.life();
            this.closed = closed;
        }
    }

    Line(
            SimClock clock,
            Random random,
            Node one,
            Runnable closedAtOne,
            Node other,
            Runnable closedAtOther) {
        this.clock = clock;
        this.random = random;
        this.one = new End(one, closedAtOne);
        this.other = new End(other, closedAtOther);
        if (!other.alive()) cut();
    }

    boolean open() {
        return open;
    }

    boolean touches(Node node) {
        return one.node == node || other.node == node;
    }

    /** To the node at the far end. */
    void send(Node from, Runnable action) {
        if (!open) return;
        End to = from == one.node ? other : one;
        deliver(
                to,
                () -> {
                    if (open) to.node.run(to.life, action);
                });
    }

    /** Ends at once; both ends hear of it, and what was under way is lost. */
    void cut() {
        if (!open) return;
        open = false;
        deliver(one, () -> one.node.run(one.life, one.closed));
        deliver(other, () -> other.node.run(other.life, other.closed));
    }

    private void deliver(End to, Runnable action) {
        int most = random.nextInt(SLOW_EVERY) == 0 ? SLOW_MICROS_MAX : DELAY_MICROS_MAX;
        long at = clock.nanoTime() + 1_000L * (1 + random.nextInt(most));
        to.last = Math.max(to.last + 1, at);
        clock.after(Duration.ofNanos(to.last - clock.nanoTime()), action);
    }
}
