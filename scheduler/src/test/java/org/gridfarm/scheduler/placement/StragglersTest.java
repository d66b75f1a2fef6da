package org.gridfarm.scheduler.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StragglersTest {
    @Test
    void whatIsUsualIsKnownFromThreeThatAreHalfOfAll() {
        assertThat(Stragglers.from(new double[] {9, 9}, 3)).isEmpty();
        assertThat(Stragglers.from(new double[] {9, 9, 9}, 7)).isEmpty();
        assertThat(Stragglers.from(new double[] {9, 9, 9}, 6)).hasValue(18);
    }

    @Test
    void itIsTheMedianThatCountsAndShortTasksAreLeftAlone() {
        assertThat(Stragglers.from(new double[] {300, 10, 11, 12, 1}, 8)).hasValue(22);
        assertThat(Stragglers.from(new double[] {0.1, 0.1, 0.1}, 4)).hasValue(5);
    }
}
