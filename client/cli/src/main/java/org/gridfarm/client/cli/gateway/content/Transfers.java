package org.gridfarm.client.cli.gateway.content;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many contents are under way at once: each holds up to some MiB of memory, and whoever comes
 * when all are taken waits. Thread-safe.
 */
public final class Transfers {
    /** The library's pieces under way, and those between it and the client. */
    private static final long BYTES_EACH = 12 << 20;

    private static final int LEAST = 4;
    private static final int MOST = 256;

    /** Memory beside the heap, where the pieces are, is as large as the heap unless it is told. */
    private static final int SHARE = 2;

    private static final Duration WAIT_MAX = Duration.ofSeconds(30);

    private final Semaphore places;

    Transfers(int places) {
        this.places = new Semaphore(places, true);
    }

    public static Transfers ofThisProcess() {
        long room = Runtime.getRuntime().maxMemory() / SHARE / BYTES_EACH;
        return new Transfers((int) Math.clamp(room, LEAST, MOST));
    }

    /** A place for one, until it is closed. */
    public final class Place implements AutoCloseable {
        private Place() {}

        @Override
        public void close() {
            places.release();
        }
    }

    /** OVERLOADED where none came free in time. */
    public Place take(String what) {
        try {
            if (places.tryAcquire(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) return new Place();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "transfer", what);
        }
        throw new FarmException(
                ErrorKind.OVERLOADED,
                "transfer",
                what,
                "all places for transfers were taken for " + WAIT_MAX.toSeconds() + " s");
    }
}
