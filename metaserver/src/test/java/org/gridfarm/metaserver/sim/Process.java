package org.gridfarm.metaserver.sim;

import org.gridfarm.protocol.env.SimClock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A process: alive or dead, running or stopped. What comes to a stopped one waits for it. After
 * everything it does, what its connections have written is carried away.
 */
final class Process {
    final String name;
    private final SimClock clock;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final List<Wire.End> ends = new ArrayList<>();
    private int life;
    private boolean alive = true;
    private boolean stopped;
    private int depth;

    Process(String name, SimClock clock) {
        this.name = name;
        this.clock = clock;
    }

    int life() {
        return life;
    }

    boolean alive() {
        return alive;
    }

    boolean running() {
        return alive && !stopped;
    }

    boolean isIn(int thatLife) {
        return alive && life == thatLife;
    }

    /** Does it in this life, now or when it runs again. */
    void run(int inLife, Runnable action) {
        if (!isIn(inLife)) return;
        if (stopped) {
            waiting.add(action);
            return;
        }
        depth++;
        try {
            action.run();
        } finally {
            depth--;
        }
        if (depth == 0) carry();
    }

    void after(long nanos, Runnable action) {
        int now = life;
        clock.after(Duration.ofNanos(nanos), () -> run(now, action));
    }

    void has(Wire.End end) {
        ends.add(end);
    }

    /** An action may follow from what is carried (a call that timed out), and write again. */
    private void carry() {
        depth++;
        boolean more = true;
        while (more) {
            more = false;
            for (int i = 0; i < ends.size(); i++) more |= ends.get(i).carry();
        }
        depth--;
        ends.removeIf(Wire.End::isOver);
    }

    void stop() {
        stopped = true;
    }

    void go() {
        stopped = false;
        int now = life;
        while (!stopped && !waiting.isEmpty()) run(now, waiting.remove());
    }

    void die() {
        alive = false;
        stopped = false;
        waiting.clear();
        life++;
        List.copyOf(ends).forEach(Wire.End::cut);
        ends.clear();
    }

    void beBorn() {
        alive = true;
    }
}
