package org.gridfarm.campaign.property;

import java.util.List;
import java.util.SplittableRandom;

/** The chance of one run. */
public final class Dice {
    private final long seed;
    private final SplittableRandom random;

    public Dice(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    public long seed() {
        return seed;
    }

    /** From 0 to the bound, which is excluded. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    /** True once in so many times. */
    public boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    public <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SafeVarargs
    public final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
