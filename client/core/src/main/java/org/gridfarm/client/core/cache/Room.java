package org.gridfarm.client.core.cache;

import java.util.concurrent.atomic.AtomicLong;

/** What all shards together may occupy. Thread-safe. */
final class Room {
    private final long bytesMax;
    private final AtomicLong taken = new AtomicLong();

    Room(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Negative: given back. */
    void take(long bytes) {
        taken.addAndGet(bytes);
    }

    long taken() {
        return taken.get();
    }

    boolean isOver() {
        return taken.get() > bytesMax;
    }
}
