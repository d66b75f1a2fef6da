package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.HashMap;
import java.util.Map;

/** One line per object that is being written. Thread-safe. */
final class ChainLines {
    /** Idle lines are looked for when so many are kept. */
    private static final int KEPT_MAX = 4096;

    private final Clock clock;

    @GuardedBy("this")
    private final Map<ObjectKey, ChainLine> lines = new HashMap<>();

    ChainLines(Clock clock) {
        this.clock = clock;
    }

    /** The same line for all that is sent of one object; called in the object's order. */
    synchronized ChainLine of(ObjectKey key) {
        if (lines.size() >= KEPT_MAX) {
            lines.values().removeIf(ChainLine::isIdle);
        }
        return lines.computeIfAbsent(key, _ -> new ChainLine(clock));
    }
}
