package org.gridfarm.protocol.env;

import java.util.SplittableRandom;

/** Chance. */
public interface Entropy {
    long nextLong();

    /** Evenly from 0 (inclusive) to the bound (exclusive, positive). */
    default int nextInt(int bound) {
        return (int) Math.floorMod(nextLong(), (long) bound);
    }

    /** Evenly from 0 (inclusive) to 1 (exclusive). */
    default double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /** Fills the array. */
    default void fill(byte[] bytes) {
        for (int i = 0; i < bytes.length; ) {
            long random = nextLong();
            for (int n = 0; n < 8 && i < bytes.length; n++, random >>>= 8)
                bytes[i++] = (byte) random;
        }
    }

    /** The machine's secure source; thread-safe. */
    static Entropy system() {
        return SystemEntropy.INSTANCE;
    }

    /** The same numbers for the same seed; for one thread. */
    static Entropy seeded(long seed) {
        return new SplittableRandom(seed)::nextLong;
    }
}
