package org.gridfarm.client.core.transfer.known;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whoever opens a file and appends to it finds the end that all closes before have left, and in the
 * end the leader knows it; and a fault in any part of that is noticed. {@code -Dgf.seed=} chooses.
 */
@Tag("quick")
class AppendersSimulationTest {
    private static final long FIRST = Tier.seed(1);
    private static final int SEEDS = Tier.count("appenders");
    private static final int SEEDS_PER_PLANT_MAX = Tier.count("appenders.plant");

    @Test
    void noLineIsLostInAnyWorld() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(new Appenders(seed, Appenders.Plant.NOTHING).run())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    void aPlantedFaultIsNoticed(Appenders.Plant plant) {
        long seed = FIRST;
        while (new Appenders(seed, plant).run().isEmpty()) {
            seed++;
            assertThat(seed - FIRST)
                    .as("worlds without a sign of it")
                    .isLessThan(SEEDS_PER_PLANT_MAX);
        }
        System.out.printf("%s: noticed in world %d%n", plant, seed);
    }
}
