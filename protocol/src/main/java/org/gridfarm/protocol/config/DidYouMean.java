package org.gridfarm.protocol.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The known word that a misspelt one was probably meant to be. */
public final class DidYouMean {
    private DidYouMean() {}

    /**
     * The nearest of the known words by letters changed, added, left out or swapped; none if even
     * that takes more than a third of the word. Where the word belongs to another section, the same
     * last part counts as near.
     */
    public static Optional<String> nearest(String word, Collection<String> known) {
        Optional<String> near =
                known.stream()
                        .filter(candidate ->
                                distance(word, candidate) <= Math.max(1, word.length() / 3))
                        .min(
                                Comparator.<String>comparingInt(
                                                candidate -> distance(word, candidate))
                                        .thenComparing(Comparator.naturalOrder()));
        if (near.isPresent()) return near;
        return known.stream()
                .filter(candidate -> last(candidate).equals(last(word)))
                .min(Comparator.naturalOrder());
    }

    private static String last(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    /** Damerau-Levenshtein distance with adjacent swaps (optimal string alignment). */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] =
                        Math.min(d[i - 1][j - 1] + change, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1))
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
        return d[a.length()][b.length()];
    }
}
