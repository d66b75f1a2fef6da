package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

class NodeTableTest {

    private final NodeTable<String> table = new NodeTable<>();

    @Test
    void aNodeStaysUntilItsLastLookupIsForgotten() {
        table.hold(7, number -> "seven");
        table.hold(7, number -> "never made");
        assertThat(table.forget(7, 1)).isNull();
        assertThat(table.get(7)).isEqualTo("seven");
        assertThat(table.forget(7, 1)).isEqualTo("seven");
        assertThat(table.get(7)).isNull();
        assertThat(table.size()).isZero();
    }

    @Test
    void forgettingAnUnknownNodeIsNoError() {
        assertThat(table.forget(99, 3)).isNull();
    }

    @Test
    void itAgreesWithAPlainMapThroughHoldsAndForgets() {
        int steps = Tier.count("nodetable.steps");
        long seed = Tier.seed(1);
        Random random = new Random(seed);
        Map<Long, Long> model = new HashMap<>();
        for (int i = 0; i < steps; i++) {
            long node = random.nextInt(3000) * (random.nextBoolean() ? 1L : 1L << 32);
            if (random.nextInt(5) < 3) {
                table.hold(node, String::valueOf);
                model.merge(node, 1L, Long::sum);
            } else {
                long count = 1 + random.nextInt(3);
                String last = table.forget(node, count);
                Long had = model.get(node);
                if (had != null && had <= count) {
                    assertThat(last).as("seed %d", seed).isEqualTo(String.valueOf(node));
                    model.remove(node);
                } else {
                    assertThat(last).as("seed %d", seed).isNull();
                    model.computeIfPresent(node, (key, value) -> value - count);
                }
            }
        }
        assertThat(table.size()).as("seed %d", seed).isEqualTo(model.size());
        model.keySet()
                .forEach(node ->
                        assertThat(table.get(node)).as("seed %d", seed).isEqualTo("" + node));
    }
}
