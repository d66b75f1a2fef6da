package org.gridfarm.test.faults;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * What a file must hold: the bytes that were acknowledged, or, where the outcome of a change is not
 * known, at each place the byte before or the one after it. Guarded by itself.
 */
final class Expected {
    private byte[] sure;
    private byte @Nullable [] other;

    Expected(byte[] sure) {
        this.sure = sure;
    }

    synchronized byte[] sure() {
        return sure;
    }

    synchronized boolean isSure() {
        return other == null;
    }

    /** As it is when all changes under way succeed. */
    synchronized byte[] attempted() {
        return other == null ? sure : other;
    }

    /** A change begins that makes the content this. */
    synchronized void attempt(byte[] after) {
        other = after;
    }

    synchronized void acknowledged() {
        if (other != null) {
            sure = other;
            other = null;
        }
    }

    /** Null when the content may be this, or what is wrong with it. */
    synchronized @Nullable String fault(byte[] actual) {
        byte[] maybe = other == null ? sure : other;
        if (actual.length < Math.min(sure.length, maybe.length)
                || actual.length > Math.max(sure.length, maybe.length)) {
            return actual.length + " bytes instead of " + sure.length + " or " + maybe.length;
        }
        if (Arrays.equals(actual, sure)) {
            return null;
        }
        int first = -1;
        int wrong = 0;
        int zeros = 0;
        for (int i = 0; i < actual.length; i++) {
            boolean fits =
                    i < sure.length && actual[i] == sure[i]
                            || i < maybe.length && actual[i] == maybe[i];
            if (!fits) {
                first = wrong++ == 0 ? i : first;
                zeros += actual[i] == 0 ? 1 : 0;
            }
        }
        return wrong == 0
                ? null
                : "%d of %d bytes are wrong, %d of them zero, the first one byte %d"
                        .formatted(wrong, actual.length, zeros, first);
    }
}
