package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition outside this process, which can only be asked again and again. */
public final class Await {
    private static final Duration STEP = Duration.ofMillis(20);

    private Await() {}

    /** True as soon as the condition holds, false when the time is over. */
    public static boolean until(Duration atMost, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(STEP.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new FarmException(ErrorKind.INTERRUPTED, "wait", "");
            }
        }
        return true;
    }
}
