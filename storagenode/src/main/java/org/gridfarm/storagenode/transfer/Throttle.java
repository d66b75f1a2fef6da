package org.gridfarm.storagenode.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.replica.Verifier;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** So many bytes a second, evenly; 0 means no limit. Thread-safe. */
public final class Throttle implements Verifier.Pace {
    private static final long NANOS = 1_000_000_000L;

    private final Clock clock;

    @GuardedBy("this")
    private long bytesPerSecond;

    @GuardedBy("this")
    private long nextAt;

    public Throttle(Clock clock, long bytesPerSecond) {
        this.clock = clock;
        this.bytesPerSecond = bytesPerSecond;
        this.nextAt = clock.nanoTime();
    }

    public synchronized void rate(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        nextAt = clock.nanoTime();
    }

    public synchronized long rate() {
        return bytesPerSecond;
    }

    /** Completes when the bytes may be moved; what was not used is not saved up. */
    @Override
    public CompletableFuture<?> take(long bytes) {
        long wait;
        synchronized (this) {
            if (bytesPerSecond <= 0) {
                return CompletableFuture.completedFuture(true);
            }
            long now = clock.nanoTime();
            long at = nextAt - now < 0 ? now : nextAt;
            nextAt = at + (long) ((double) bytes / bytesPerSecond * NANOS);
            wait = at - now;
        }
        if (wait <= 0) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> later = new CompletableFuture<>();
        clock.after(Duration.ofNanos(wait), () -> later.complete(true));
        return later;
    }
}
