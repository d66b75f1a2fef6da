package org.gridfarm.metaserver.quota;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * How far files that are open for writing may grow before their writers ask again. What is promised
 * to one file counts against the limits of all others, so limits hold while several write; a
 * promise is small against what is left, so that an idle writer keeps little from others. Known to
 * the leader alone: after a fail-over writers ask anew. Owned by the event thread.
 */
public final class Growth {
    /** No limit applies to the file. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** A writer of a gigabyte per second asks a few times a second. */
    private static final long STEP_BYTES_MAX = 256L << 20;

    /** Less would make a writer near its limit ask for every block. */
    private static final long STEP_BYTES_MIN = 1L << 20;

    /** A promise is at most this part of what is left, above the least step. */
    private static final long PART = 16;

    private record Promise(long size, Map<Subject, Usage> counted) {}

    private final Quotas quotas;
    private final Map<Long, Promise> promises = new HashMap<>();

    public Growth(Quotas quotas) {
        this.quotas = quotas;
    }

    /**
     * Promises the file a size, at least the wanted one.
     *
     * @param wanted the present size or less: as much as is usual, and never a refusal
     * @param now nanoseconds since 1970
     * @return the size it may grow to, or {@link #UNLIMITED}
     * @throws FarmException QUOTA_EXCEEDED
     */
    public long promise(long inode, long wanted, long now, Namespace state) {
        var content = state.content(inode);
        if (content == null) return UNLIMITED;
        Promise former = release(inode);
        long size = content.size();
        long left = quotas.allowance(inode, now, state);
        if (left == UNLIMITED) return UNLIMITED;
        long most = size + left;
        if (wanted > size && wanted > most) {
            if (former != null) keep(inode, former.size(), state);
            throw new FarmException(
                    ErrorKind.QUOTA_EXCEEDED,
                    "write",
                    "inode " + Long.toHexString(inode),
                    "it may grow to " + most + " bytes");
        }
        long step = Math.clamp(left / PART, STEP_BYTES_MIN, STEP_BYTES_MAX);
        long next = Math.max(wanted, size + step);
        if (former != null) next = Math.max(next, former.size());
        return keep(inode, Math.min(most, next), state);
    }

    private long keep(long inode, long size, Namespace state) {
        Map<Subject, Usage> counted = quotas.growth(inode, size, state);
        counted.forEach(quotas::promise);
        promises.put(inode, new Promise(size, counted));
        return size;
    }

    /** The size last promised, {@link #UNLIMITED} where none was. */
    public long promised(long inode) {
        Promise promise = promises.get(inode);
        return promise == null ? UNLIMITED : promise.size();
    }

    /** What was promised may be used now, or counts for somebody else: it is counted anew. */
    public void changed(long inode, Namespace state) {
        Promise former = promises.isEmpty() ? null : release(inode);
        if (former != null) keep(inode, former.size(), state);
    }

    /** Nobody writes the file any more. */
    public void ended(long inode) {
        if (!promises.isEmpty()) release(inode);
    }

    private @Nullable Promise release(long inode) {
        Promise promise = promises.remove(inode);
        if (promise != null) {
            promise.counted()
                    .forEach((subject, usage) -> quotas.promise(subject, usage.negative()));
        }
        return promise;
    }
}
