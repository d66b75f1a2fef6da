package org.gridfarm.metaserver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally = new Tally(3, 5);

    TallyTest() {
        tally.opened(1, "ann");
        tally.opened(2, "ann");
        tally.opened(3, "bob");
    }

    @Test
    void aSessionHasItsBoundAndAllOfAUserHaveTheirs() {
        tally.add(1, 3);
        assertThat(tally.refusal(1, 0)).contains("3").contains("session");
        assertThat(tally.refusal(1, 1)).isNull();
        assertThat(tally.refusal(2, 0)).isNull();
        tally.add(2, 2);
        assertThat(tally.refusal(2, 0)).contains("5").contains("user");
        assertThat(tally.refusal(3, 0)).isNull();
        tally.add(1, -1);
        assertThat(tally.refusal(2, 0)).isNull();
    }

    /** What it had open is closed little by little. */
    @Test
    void whatAnEndedSessionHasNotGivenBackStillCounts() {
        tally.add(1, 3);
        tally.ended(1);
        tally.add(2, 2);
        assertThat(tally.userRefusal("ann")).isNotNull();
        tally.add(1, -3);
        assertThat(tally.userRefusal("ann")).isNull();
        assertThat(tally.held(1)).isZero();
    }

    /** Answers of a former leader are known before their session comes. */
    @Test
    void whatASessionHadBeforeItCameCountsForItsUser() {
        tally.add(9, 2);
        tally.opened(9, "bob");
        tally.add(3, 3);
        assertThat(tally.refusal(9, 0)).contains("user");
        assertThat(tally.userRefusal("ann")).isNull();
    }
}
