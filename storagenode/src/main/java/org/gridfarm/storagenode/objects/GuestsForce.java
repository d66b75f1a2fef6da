package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Has everything made durable for guests: who they are nobody knows here, and it takes no ticket.
 * All who ask are served by the next time, and after each the disks have four times as long for
 * everybody else, up to two seconds: whoever waits for one sync, the pause and his own is to have
 * his answer before his call is late. Thread-safe.
 */
final class GuestsForce {
    private static final int PAUSES = 4;
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

    private final Supplier<CompletableFuture<Void>> force;
    private final Clock clock;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> next; // not begun

    @GuardedBy("this")
    private boolean resting; // or at it

    GuestsForce(Supplier<CompletableFuture<Void>> force, Clock clock) {
        this.force = force;
        this.clock = clock;
    }

    CompletableFuture<Void> all() {
        CompletableFuture<Void> mine;
        boolean now;
        synchronized (this) {
            if (next == null) next = new CompletableFuture<>();
            mine = next;
            now = !resting;
        }
        if (now) begin();
        return mine.copy();
    }

    private void begin() {
        CompletableFuture<Void> mine;
        synchronized (this) {
            mine = next;
            if (mine == null || resting) return;
            next = null;
            resting = true;
        }
        long since = clock.nanoTime();
        force.get()
                .whenComplete((_, failure) -> {
                    long took = clock.nanoTime() - since;
                    if (failure == null) mine.complete(null);
                    else mine.completeExceptionally(failure);
                    clock.after(pause(took), this::rested);
                });
    }

    private static Duration pause(long tookNanos) {
        return Duration.ofNanos(Math.min(PAUSES * tookNanos, PAUSE_MAX.toNanos()));
    }

    private void rested() {
        synchronized (this) {
            resting = false;
        }
        begin();
    }
}
