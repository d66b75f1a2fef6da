package org.gridfarm.storagenode.tasks;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** SIGKILL for processes that may start others meanwhile. */
final class Killing {
    private static final long PAUSE_MICROS_FIRST = 200;
    private static final long PAUSE_MICROS_MAX = 50_000;

    interface Round {
        /** Kills those that are there now; false if there is none. */
        boolean killed() throws IOException;
    }

    private Killing() {}

    /** Whether none is left, which is so at the latest after {@link ProcessTree#END_MAX}. */
    static boolean untilNone(Round round) throws IOException {
        long until = System.nanoTime() + ProcessTree.END_MAX.toNanos();
        long pause = PAUSE_MICROS_FIRST;
        while (round.killed()) {
            if (System.nanoTime() > until) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pause));
            pause = Math.min(2 * pause, PAUSE_MICROS_MAX);
        }
        return true;
    }

    static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
