package org.gridfarm.metaserver.lock;

import org.gridfarm.protocol.wire.LockRequest;

import java.util.List;

/** What became of a request. */
public sealed interface LockOutcome {
    /**
     * Done; {@code released} are tickets of queued requests that are granted now because of it (an
     * unlock, or a weaker lock).
     */
    record Granted(List<Long> released) implements LockOutcome {}

    /** Not waited for, and in the way is this. */
    record Conflict(LockRequest holder) implements LockOutcome {}

    /**
     * Queued: the ticket comes back in a later step's list of released ones, unless it is cancelled
     * or its session ends.
     */
    record Queued(long ticket, List<Long> released) implements LockOutcome {}
}
