package org.gridfarm.test.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToIntFunction;

/**
 * Kinds of faults in random order, each as often as it is in the deck, and how often each came. One
 * of each kind comes first, so that a deck that is not played to its end has every kind, too.
 */
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
            List<K> first = new ArrayList<>(new LinkedHashSet<>(full));
            left.addAll(full);
            first.forEach(left::remove);
            Collections.shuffle(left, random);
            Collections.shuffle(first, random);
            left.addAll(first); // the last is drawn first
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
