package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tasks that run, and those that ended lately, whose outcome can be asked for again. What is
 * done for a task does not depend on how many there are. Thread-safe.
 */
final class KnownTasks<T> {
    /** How long the outcome of a task can be asked for again. */
    static final Duration FINISHED_KEPT = Duration.ofMinutes(15);

    /** Outcomes of the shortest tasks. */
    static final int FINISHED_MAX = 4096;

    /** Of all outcomes together, most of it what the tasks wrote. */
    static final long FINISHED_BYTES_MAX = 32 << 20;

    private record Finished(String name, long nanos, long bytes) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<String, T> all = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, T> running = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Deque<Finished> finished = new ArrayDeque<>(); // the first to end first

    @GuardedBy("this")
    private long finishedBytes;

    KnownTasks(Clock clock) {
        this.clock = clock;
    }

    synchronized @Nullable T find(String name) {
        forgetOld();
        return all.get(name);
    }

    synchronized void begin(String name, T task) {
        all.put(name, task);
        running.put(name, task);
    }

    /**
     * @param bytes of its outcome
     */
    synchronized void end(String name, long bytes) {
        if (running.remove(name) != null) {
            finished.add(new Finished(name, clock.nanoTime(), bytes));
            finishedBytes += bytes;
            forgetOld();
        }
    }

    @GuardedBy("this")
    private void forgetOld() {
        long now = clock.nanoTime();
        for (Finished oldest = finished.peek(); oldest != null; oldest = finished.peek()) {
            boolean isOld = now - oldest.nanos > FINISHED_KEPT.toNanos();
            if (!isOld && finished.size() <= FINISHED_MAX && finishedBytes <= FINISHED_BYTES_MAX) {
                return;
            }
            finished.remove();
            finishedBytes -= oldest.bytes;
            all.remove(oldest.name);
        }
    }

    synchronized boolean isRunning(String name) {
        return running.containsKey(name);
    }

    synchronized int runningCount() {
        return running.size();
    }

    /** In the order in which they began. */
    synchronized Map<String, T> running() {
        return new LinkedHashMap<>(running);
    }

    synchronized List<T> all() {
        return List.copyOf(all.values());
    }
}
