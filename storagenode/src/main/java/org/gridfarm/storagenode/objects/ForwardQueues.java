package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.HashMap;
import java.util.Map;

/** One queue per object that is being written. Thread-safe. */
final class ForwardQueues {
    /** Idle queues are looked for when so many are kept, and again when twice as many are left. */
    private static final int KEPT_MAX = 4096;

    /** With something under way, or after a failure some seconds ago; some 500 bytes each. */
    static final int BUSY_MAX = 1 << 15;

    private final Clock clock;

    @GuardedBy("this")
    private final Map<ObjectKey, ForwardQueue> queues = new HashMap<>();

    @GuardedBy("this")
    private int lookAt = KEPT_MAX;

    ForwardQueues(Clock clock) {
        this.clock = clock;
    }

    /**
     * The same queue for all that is sent of one object; called in the object's order. OVERLOADED
     * when too many others are busy.
     */
    synchronized ForwardQueue of(ObjectKey key) {
        ForwardQueue known = queues.get(key);
        if (known != null) {
            return known;
        }
        if (queues.size() >= lookAt) {
            queues.values().removeIf(ForwardQueue::isIdle);
            lookAt = Math.min(BUSY_MAX, Math.max(KEPT_MAX, 2 * queues.size()));
        }
        if (queues.size() >= BUSY_MAX) {
            throw new FarmException(
                    ErrorKind.OVERLOADED, "write", key.toString(), "too many files at once");
        }
        ForwardQueue made = new ForwardQueue(clock);
        queues.put(key, made);
        return made;
    }
}
