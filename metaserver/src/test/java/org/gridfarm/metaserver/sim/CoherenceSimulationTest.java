package org.gridfarm.metaserver.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.observe.LogLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nobody reads what is older than what anybody was told before, nothing acknowledged is lost, and
 * no two leaders commit in one epoch; and a fault in any part of the protocol is noticed. {@code
 * -Dgf.seed=} and {@code -Dgf.worlds=} choose the worlds.
 */
class CoherenceSimulationTest {
    private static final long FIRST = Tier.seed(1);
    private static final int SEEDS = Tier.count("worlds");
    private static final int SEEDS_PER_PLANT_MAX = Tier.count("worlds.plant");

    @BeforeAll
    static void leaveOutWhatServersSayOfFaults() {
        LogLevel.set("ERROR");
    }

    @AfterAll
    static void logAsBefore() {
        LogLevel.set("WARN");
    }

    @Test
    void everyWorldIsCoherent() {
        long changes = 0;
        long reads = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Ledger ledger = new World(seed, Plant.NOTHING).run();
            assertThat(ledger.faults()).as("seed %d", seed).isEmpty();
            changes += ledger.changes();
            reads += ledger.reads();
        }
        System.out.printf("%d worlds, %d changes, %d reads%n", SEEDS, changes, reads);
        assertThat(changes).isGreaterThan(10L * SEEDS);
        assertThat(reads).isGreaterThan(10L * SEEDS);
    }

    @Test
    void aSeedGivesTheSameWorldAgain() {
        Ledger once = new World(FIRST, Plant.NOTHING).run();
        Ledger again = new World(FIRST, Plant.NOTHING).run();
        assertThat(again.digest()).isEqualTo(once.digest());
        assertThat(new World(FIRST + 1, Plant.NOTHING).run().digest()).isNotEqualTo(once.digest());
    }

    @ParameterizedTest
    @EnumSource(names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    void aPlantedFaultIsNoticed(Plant plant) {
        long seed = FIRST;
        while (new World(seed, plant).run().faults().isEmpty()) {
            seed++;
            assertThat(seed - FIRST)
                    .as("worlds without a sign of it")
                    .isLessThan(SEEDS_PER_PLANT_MAX);
        }
        System.out.printf("%s: noticed in world %d%n", plant, seed);
    }
}
