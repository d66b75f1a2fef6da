package org.gridfarm.storagenode.tasks;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** SIGKILL for processes that may start others meanwhile. */
final class Killing {
    private static final long PAUSE_MICROS_FIRST = 200;
    private static final long PAUSE_MICROS_MAX = 50_000;

    /** The processes that are there now, but for those that have ended and wait for a parent. */
    interface Look {
        List<Long> processes() throws IOException;
    }

    private Killing() {}

    /** Whether none is left, which is so at the latest after {@link ProcessTree#END_MAX}. */
    static boolean untilNone(Look look) throws IOException {
        long until = System.nanoTime() + ProcessTree.END_MAX.toNanos();
        long pause = PAUSE_MICROS_FIRST;
        while (true) {
            List<Long> found = look.processes();
            if (found.isEmpty()) {
                return true;
            }
            if (System.nanoTime() > until) {
                return false;
            }
            for (long pid : found) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pause));
            pause = Math.min(2 * pause, PAUSE_MICROS_MAX);
        }
    }
}
