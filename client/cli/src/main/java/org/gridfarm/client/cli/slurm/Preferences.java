package org.gridfarm.client.cli.slurm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * On which node of the farm each task had best run: the one that holds most of its input, and of
 * those that hold as much the one with the fewest tasks for each slot. Pure.
 */
final class Preferences {
    static final String ANY = "";

    private Preferences() {}

    /**
     * @param held bytes of the input of each task by node
     * @param slots of the nodes that can be asked for
     * @return a node for each task, or {@link #ANY}
     */
    static List<String> of(List<Map<String, Long>> held, Map<String, Integer> slots) {
        Map<String, Integer> given = new HashMap<>();
        List<String> preferred = new ArrayList<>();
        for (Map<String, Long> bytes : held) {
            String best = ANY;
            for (String node : bytes.keySet().stream().sorted().toList()) {
                if (slots.getOrDefault(node, 0) > 0 && bytes.getOrDefault(node, 0L) > 0) {
                    best =
                            best.isEmpty() || isBetter(node, best, bytes, given, slots)
                                    ? node
                                    : best;
                }
            }
            if (!best.isEmpty()) {
                given.merge(best, 1, Integer::sum);
            }
            preferred.add(best);
        }
        return preferred;
    }

    private static boolean isBetter(
            String node,
            String than,
            Map<String, Long> bytes,
            Map<String, Integer> given,
            Map<String, Integer> slots) {
        int more = Long.compare(bytes.getOrDefault(node, 0L), bytes.getOrDefault(than, 0L));
        return more > 0 || more == 0 && share(node, given, slots) < share(than, given, slots);
    }

    private static double share(
            String node, Map<String, Integer> given, Map<String, Integer> slots) {
        return given.getOrDefault(node, 0) / (double) slots.getOrDefault(node, 1);
    }
}
