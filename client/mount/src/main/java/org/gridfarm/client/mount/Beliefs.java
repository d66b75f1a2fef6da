package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;

/**
 * How long the kernel may believe an answer: as long as the lease lasts, and not at all when
 * something was recalled since the answer began to be made. A stopped mount process therefore never
 * leaves the kernel with names that others have changed.
 */
final class Beliefs {
    /** How answers are kept by the kernel: under leases, for a fixed time, or not at all. */
    enum Mode {
        COHERENT,
        TIMED,
        NONE
    }

    private final Metadata metadata;
    private final Mode mode;
    private final long fixedNanos;

    Beliefs(Metadata metadata, Mode mode, long fixedNanos) {
        this.metadata = metadata;
        this.mode = mode;
        this.fixedNanos = fixedNanos;
    }

    /** To be taken before the answer is looked for. */
    long stamp() {
        return metadata.recallStamp();
    }

    /** Nanoseconds for the kernel, 0: ask again. */
    long nanos(boolean leased, long stamp) {
        return switch (mode) {
            case COHERENT ->
                    leased && metadata.recallStamp() == stamp ? metadata.leaseNanosLeft() : 0;
            case TIMED -> fixedNanos;
            case NONE -> 0;
        };
    }

    /** What the kernel believes is recalled. */
    boolean areRecalled() {
        return mode == Mode.COHERENT;
    }
}
