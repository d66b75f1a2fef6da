package org.gridfarm.client.cli.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class SpillTest {
    private static final Map<String, Integer> SLOTS = Map.of("n1", 2, "n2", 2, "n3", 2);
    private static final Map<String, List<String>> NONE = Map.of();

    private static List<Spill.Waiting> queue(String node, int count, long bytes, long waited) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Spill.Waiting(node + "_" + i, node, bytes, waited))
                .toList();
    }

    @Test
    void shortTasksOfOneNodeUseThoseThatHaveNothingToDo() {
        assertEquals(
                Map.of("n2", List.of("n1_9", "n1_8"), "n3", List.of("n1_7")),
                Spill.moves(
                        queue("n1", 10, 1_000, 0),
                        Map.of("n1", 2),
                        SLOTS,
                        Map.of("n1", 0, "n2", 2, "n3", 1),
                        200));
    }

    /** Two tasks of 1 s on two slots end in a second; 11 GB take 100 s over the network. */
    @Test
    void aFewTasksWithLargeInputWait() {
        List<Spill.Waiting> large = queue("n1", 2, 11_000_000_000L, 500);
        assertEquals(NONE, Spill.moves(large, Map.of("n1", 2), SLOTS, Map.of("n2", 2), 1_000));
    }

    @Test
    void aNodeThatOthersHaveIsWaitedForAsLongAsReadingTakes() {
        List<Spill.Waiting> soon = queue("n1", 2, 110_000_000, 900);
        assertEquals(NONE, Spill.moves(soon, Map.of(), SLOTS, Map.of("n2", 2), 10));
        List<Spill.Waiting> late = queue("n1", 2, 110_000_000, 1_100);
        assertEquals(
                Map.of("n2", List.of("n1_1")),
                Spill.moves(late, Map.of(), SLOTS, Map.of("n2", 1), 10));
    }

    @Test
    void aNodeWithAQueueOfItsOwnGetsNothing() {
        List<Spill.Waiting> both = new ArrayList<>(queue("n1", 5, 1, 0));
        both.addAll(queue("n2", 1, 1, 0));
        assertEquals(NONE, Spill.moves(both, Map.of("n1", 2), SLOTS, Map.of("n2", 2), 200));
    }
}
