package org.gridfarm.test.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToIntFunction;

/** Kinds of faults in random order, each as often as it is in the deck, and how often each came. */
final class Deck<K extends Enum<K>> {
    private final List<K> full = new ArrayList<>();
    private final List<K> left = new ArrayList<>();
    private final Map<K, Integer> tally;
    private final Random random;

    Deck(Class<K> kinds, ToIntFunction<K> inDeck, Random random) {
        this.random = random;
        this.tally = new EnumMap<>(kinds);
        for (K kind : kinds.getEnumConstants()) {
            full.addAll(Collections.nCopies(inDeck.applyAsInt(kind), kind));
        }
    }

    K next() {
        if (left.isEmpty()) {
            left.addAll(full);
            Collections.shuffle(left, random);
        }
        return left.removeLast();
    }

    void done(K kind) {
        tally.merge(kind, 1, Integer::sum);
    }

    /** How often each was done. */
    @Override
    public String toString() {
        return tally.toString();
    }
}
