package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.namespace.Content;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

class ReplicaMatrixTest {
    private final ReplicaMatrix matrix = new ReplicaMatrix();

    private static Standing standing(int wanted, int live) {
        Content content = new Content(1, 1, 1, 1, wanted, 1, "");
        return new Standing(content, live, Whereabouts.HERE, live, live, false, false, false);
    }

    @Test
    void aFileStandsInOneCellAtATimeAndInNoneWhenItIsGone() {
        Random random = new Random(7);
        Map<Long, String> model = new TreeMap<>();
        for (int i = 0; i < 3_000; i++) {
            long inode = random.nextInt(200) + 1L;
            if (random.nextInt(5) == 0) {
                matrix.put(inode, null);
                model.remove(inode);
            } else {
                int wanted = random.nextInt(3) + 1;
                int live = random.nextInt(4);
                matrix.put(inode, standing(wanted, live));
                model.put(inode, wanted + "/" + live);
            }
        }
        Map<String, Long> counted =
                matrix.cells().stream()
                        .collect(
                                Collectors.toMap(
                                        cell -> cell.wanted() + "/" + cell.live(),
                                        ReplicaMatrix.Cell::files));
        assertThat(counted)
                .isEqualTo(
                        model.values().stream()
                                .collect(Collectors.groupingBy(c -> c, Collectors.counting())));
    }

    @Test
    void aCellIsListedInOrderAPageAtATime() {
        for (long inode = 1; inode <= 10; inode++) matrix.put(inode, standing(2, 1));
        assertThat(matrix.list(2, 1, 0, 4)).containsExactly(1, 2, 3, 4);
        assertThat(matrix.list(2, 1, 8, 4)).containsExactly(9, 10);
        assertThat(matrix.list(3, 1, 0, 4)).isEmpty();
        assertThat(matrix.count(2, 1)).isEqualTo(10);
    }

    @Test
    void moreCopiesThanAnybodyWantsAreCountedAsTheMost() {
        matrix.put(1, standing(100, Integer.MAX_VALUE));
        assertThat(matrix.count(ReplicaMatrix.COPIES_MAX, ReplicaMatrix.COPIES_MAX)).isOne();
    }
}
