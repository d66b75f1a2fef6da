package org.gridfarm.client.cli.slurm;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A node as {@code sinfo} tells of it.
 *
 * @param features names that jobs can ask for; one of them is that of the farm's node there
 * @param idle of its processors
 * @param isUsable jobs may start there
 */
record SlurmNode(String name, Set<String> features, int processors, int idle, boolean isUsable) {
    static final String FORMAT = "%N|%f|%C|%t";

    private static final int FIELDS = 4;
    private static final int IDLE = 1; // of allocated/idle/other/total
    private static final int TOTAL = 3;

    /** A node stands there once for each partition. */
    static List<SlurmNode> of(List<String> lines) {
        Map<String, SlurmNode> nodes = new LinkedHashMap<>();
        for (String line : lines) {
            String[] fields = line.split("\\|", FIELDS);
            if (fields.length == FIELDS) {
                String[] counts = fields[2].split("/");
                boolean isUp = fields[3].matches("(idle|mix|alloc|comp|plnd)[^*]*");
                nodes.put(
                        fields[0],
                        new SlurmNode(
                                fields[0],
                                Arrays.stream(fields[1].split(","))
                                        .collect(Collectors.toUnmodifiableSet()),
                                Integer.parseInt(counts[TOTAL]),
                                isUp ? Integer.parseInt(counts[IDLE]) : 0,
                                isUp));
            }
        }
        return List.copyOf(nodes.values());
    }

    /** Tasks of so many processors that find room here at once. */
    int slots(int each, boolean isWhole) {
        return isWhole ? Math.min(1, processors / each) : processors / each;
    }

    /** Of these, how many more could start now. */
    int free(int each, boolean isWhole) {
        if (isWhole) {
            return idle == processors ? Math.min(1, idle / each) : 0;
        }
        return idle / each;
    }

    /** The node of the farm that is on the same host: a feature says which, or else the name. */
    String farmNode(Collection<String> known) {
        return features.stream()
                .filter(known::contains)
                .findFirst()
                .orElse(known.contains(name) ? name : "");
    }
}
