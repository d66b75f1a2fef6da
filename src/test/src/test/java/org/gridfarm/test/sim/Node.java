package org.gridfarm.test.sim;

import org.gridfarm.protocol.env.SimClock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A process: alive or dead, running or stopped. What comes to a stopped one waits for it. */
final class Node {
    final String name;
    private final SimClock clock;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int life;
    private boolean alive = true;
    private boolean stopped;

    Node(String name, SimClock clock) {
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

    /** Does it in this life, now or when it runs again. */
    void run(int inLife, Runnable action) {
        if (!alive || inLife != life) return;
        if (stopped) waiting.add(action);
        else action.run();
    }

    void after(long nanos, Runnable action) {
        int now = life;
        clock.after(Duration.ofNanos(nanos), () -> run(now, action));
    }

    void stop() {
        stopped = true;
    }

    void go() {
        stopped = false;
        while (!stopped && !waiting.isEmpty()) waiting.remove().run();
    }

    void die() {
        alive = false;
        stopped = false;
        waiting.clear();
        life++;
    }

    void beBorn() {
        alive = true;
    }
}
