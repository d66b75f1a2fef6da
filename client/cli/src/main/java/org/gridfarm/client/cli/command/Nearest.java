package org.gridfarm.client.cli.command;

import java.util.Collection;
import java.util.Optional;

/** What somebody probably meant who typed something else. */
public final class Nearest {
    private static final int DISTANCE_MAX = 2;

    private Nearest() {}

    /**
     * The word that differs least from what was typed, if it differs by two letters at most and in
     * no more than half of them; of equals the first.
     */
    public static Optional<String> of(String typed, Collection<String> words) {
        String best = null;
        int least = DISTANCE_MAX + 1;
        for (String word : words) {
            int distance = distance(typed, word);
            if (distance < least && 2 * distance <= Math.max(typed.length(), word.length())) {
                least = distance;
                best = word;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Letters to insert, remove, replace, or exchange with their neighbours. */
    private static int distance(String a, String b) {
        int[][] table = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    table[i][j] = i + j;
                    continue;
                }
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                int least = table[i - 1][j - 1] + (same ? 0 : 1);
                least = Math.min(least, 1 + Math.min(table[i - 1][j], table[i][j - 1]));
                boolean exchanged =
                        i > 1
                                && j > 1
                                && a.charAt(i - 1) == b.charAt(j - 2)
                                && a.charAt(i - 2) == b.charAt(j - 1);
                table[i][j] = exchanged ? Math.min(least, table[i - 2][j - 2] + 1) : least;
            }
        }
        return table[a.length()][b.length()];
    }
}
