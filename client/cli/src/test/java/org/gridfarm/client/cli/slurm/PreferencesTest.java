package org.gridfarm.client.cli.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Map;

class PreferencesTest {
    private static final Map<String, Integer> SLOTS = Map.of("n1", 2, "n2", 2, "n3", 4);

    @Test
    void aTaskPrefersTheNodeThatHoldsMostOfItsInput() {
        List<Map<String, Long>> held =
                List.of(
                        Map.of("n1", 5L, "n2", 9L),
                        Map.of("elsewhere", 5L),
                        Map.of("n1", 0L),
                        Map.of());
        assertEquals(List.of("n2", "", "", ""), Preferences.of(held, SLOTS));
    }

    @Test
    void tasksOfFilesWithSeveralCopiesAreSharedOutBySlots() {
        List<String> preferred =
                Preferences.of(Collections.nCopies(60, Map.of("n1", 1L, "n3", 1L)), SLOTS);
        assertEquals(20, Collections.frequency(preferred, "n1"));
        assertEquals(40, Collections.frequency(preferred, "n3"));
    }

    @Test
    void aNodeWithoutSlotsIsNotAskedFor() {
        assertEquals(
                List.of("n2"),
                Preferences.of(List.of(Map.of("n1", 9L, "n2", 1L)), Map.of("n1", 0, "n2", 1)));
    }
}
