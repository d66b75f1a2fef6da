package org.gridfarm.client.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever becomes of nodes and leader: what stays in a chain takes every write in its order,
 * nothing is done before all of a chain have it, or twice, and everything ends once; and a fault in
 * any part of that is noticed. {@code -Dgf.seed=} chooses.
 */
class ChainSimulationTest {
    private static final long FIRST = Tier.seed(1);
    private static final int SEEDS = Tier.count("sendings");
    private static final int SEEDS_PER_PLANT_MAX = Tier.count("sendings.plant");

    @Test
    void holdsWhatItPromisesInEveryWorld() {
        int completed = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            ChainWorld world = new ChainWorld(seed, Planted.Plant.NOTHING);
            assertThat(world.run()).as("seed %d\n%s", seed, world.told()).isEmpty();
            completed += world.completed;
        }
        assertThat(completed).as("commands that went well").isGreaterThan(SEEDS);
    }

    @ParameterizedTest
    @EnumSource(names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    void aPlantedFaultIsNoticed(Planted.Plant plant) {
        long seed = FIRST;
        while (new ChainWorld(seed, plant).run().isEmpty()) {
            seed++;
            assertThat(seed - FIRST)
                    .as("worlds without a sign of it")
                    .isLessThan(SEEDS_PER_PLANT_MAX);
        }
    }
}
