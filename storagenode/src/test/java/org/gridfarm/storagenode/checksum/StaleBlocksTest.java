package org.gridfarm.storagenode.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.Random;

class StaleBlocksTest {
    @Test
    void itIsTheSameSetAsOneBitForEachBlock() {
        Random random = new Random(3);
        StaleBlocks runs = new StaleBlocks();
        BitSet bits = new BitSet();
        for (int step = 0; step < 20_000; step++) {
            int from = random.nextInt(200);
            int to = from + random.nextInt(12);
            if (random.nextBoolean()) {
                runs.add(from, to);
                bits.set(from, to);
            } else {
                runs.remove(from, to);
                bits.clear(from, to);
            }
            int at = random.nextInt(220);
            assertThat(runs.contains(at)).isEqualTo(bits.get(at));
            assertThat(runs.next(at)).isEqualTo(bits.nextSetBit(at));
            assertThat(runs.endOf(at)).isEqualTo(bits.nextClearBit(at));
            assertThat(runs.isEmpty()).isEqualTo(bits.isEmpty());
        }
    }

    @Test
    void whatItTakesFollowsNeitherLengthNorDistance() {
        StaleBlocks runs = new StaleBlocks();
        runs.add(0, 1L << 40);
        runs.add(1L << 50, 1L << 51);
        runs.remove(1, 2);
        assertThat(runs.runs()).isEqualTo(3);
        runs.remove(0, Long.MAX_VALUE);
        assertThat(runs.isEmpty()).isTrue();
    }
}
