package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.TaskUsage;

import java.time.Duration;

/**
 * What a task uses. Java has no wait4(2), so its processes are looked at while they run: soon at
 * first, then every second. What happened after the last look is missing, but for the processor
 * time and the peak of a control group, which the kernel keeps to the end. Thread-safe.
 */
final class TaskMeter {
    private static final Duration FIRST_LOOK = Duration.ofMillis(50);
    private static final Duration LOOKS_APART_MAX = Duration.ofSeconds(1);

    private final ProcessTree tree;
    private final long leader;
    private final long memoryMax; // 0: no limit
    private final Runnable kill;
    private final Clock clock;
    private TaskUsage most = TaskUsage.getDefaultInstance();
    private boolean isOver; // the limit
    private boolean isClosed;

    private TaskMeter(ProcessTree tree, long leader, long memoryMax, Clock clock, Runnable kill) {
        this.tree = tree;
        this.leader = leader;
        this.memoryMax = memoryMax;
        this.kill = kill;
        this.clock = clock;
    }

    /**
     * @param kill ends a task that has more memory than it asked for
     */
    static TaskMeter begin(
            ProcessTree tree, long leader, long memoryMax, Clock clock, Runnable kill) {
        TaskMeter meter = new TaskMeter(tree, leader, memoryMax, clock, kill);
        meter.lookAfter(FIRST_LOOK);
        return meter;
    }

    private void lookAfter(Duration pause) {
        clock.after(
                pause,
                () ->
                        Thread.ofVirtual()
                                .start(() -> {
                                    if (look()) {
                                        Duration next = pause.multipliedBy(2);
                                        lookAfter(
                                                next.compareTo(LOOKS_APART_MAX) < 0
                                                        ? next
                                                        : LOOKS_APART_MAX);
                                    }
                                }));
    }

    /** False when there is nothing more to look at. */
    private boolean look() {
        synchronized (this) {
            if (isClosed) {
                return false;
            }
        }
        TaskUsage seen = tree.usage(leader);
        boolean isTooMuch;
        synchronized (this) {
            if (isClosed) {
                return false;
            }
            add(seen);
            isTooMuch = !isOver && memoryMax > 0 && seen.getMemoryNow() > memoryMax;
            isOver |= isTooMuch;
        }
        if (isTooMuch) {
            kill.run();
        }
        return true;
    }

    /** Sums only grow: what has ended is missing in a later look. */
    private void add(TaskUsage seen) {
        most =
                TaskUsage.newBuilder()
                        .setCpuMicros(Math.max(most.getCpuMicros(), seen.getCpuMicros()))
                        .setMemoryPeak(Math.max(most.getMemoryPeak(), seen.getMemoryPeak()))
                        .setMemoryNow(seen.getMemoryNow())
                        .setReadBytes(Math.max(most.getReadBytes(), seen.getReadBytes()))
                        .setWrittenBytes(Math.max(most.getWrittenBytes(), seen.getWrittenBytes()))
                        .setProcesses(seen.getProcesses())
                        .build();
    }

    /** Up to now. */
    TaskUsage usage() {
        look();
        synchronized (this) {
            return most;
        }
    }

    /** It was ended because it had more memory than it asked for. */
    synchronized boolean isOver() {
        return isOver;
    }

    /** The task has ended; looked at for the last time before its group goes. */
    void close() {
        look();
        synchronized (this) {
            isClosed = true;
            most = most.toBuilder().setMemoryNow(0).setProcesses(0).build();
        }
    }
}
