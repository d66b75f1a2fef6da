package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.HashMap;
import java.util.Map;

/** One line per object that is being written. Thread-safe. */
final class ChainLines {
    /** Idle lines are looked for when so many are kept, and again when twice as many are left. */
    private static final int KEPT_MAX = 4096;

    /** With something under way, or after a failure some seconds ago; some 500 bytes each. */
    static final int BUSY_MAX = 1 << 15;

    private final Clock clock;

    @GuardedBy("this")
    private final Map<ObjectKey, ChainLine> lines = new HashMap<>();

    @GuardedBy("this")
    private int lookAt = KEPT_MAX;

    ChainLines(Clock clock) {
        this.clock = clock;
    }

    /**
     * The same line for all that is sent of one object; called in the object's order. OVERLOADED
     * when too many others are busy.
     */
    synchronized ChainLine of(ObjectKey key) {
        ChainLine known = lines.get(key);
        if (known != null) {
            return known;
        }
        if (lines.size() >= lookAt) {
            lines.values().removeIf(ChainLine::isIdle);
            lookAt = Math.min(BUSY_MAX, Math.max(KEPT_MAX, 2 * lines.size()));
        }
        if (lines.size() >= BUSY_MAX) {
            throw new FarmException(
                    ErrorKind.OVERLOADED, "write", key.toString(), "too many files at once");
        }
        ChainLine made = new ChainLine(clock);
        lines.put(key, made);
        return made;
    }
}
