package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class RoomTest {
    @Test
    void whatIsAvailableAtALevelLiesOnDifferentNodes() {
        assertThat(Room.available(List.of(100L, 100L, 100L), 1)).isEqualTo(300);
        assertThat(Room.available(List.of(100L, 100L, 100L), 2)).isEqualTo(150);
        assertThat(Room.available(List.of(1000L, 10L, 10L), 2))
                .as("the large node has no partner for more")
                .isEqualTo(20);
        assertThat(Room.available(List.of(1000L, 300L, 200L), 2)).isEqualTo(500);
    }

    @Test
    void withFewerNodesThanTheLevelContentIsKeptOnAll() {
        assertThat(Room.available(List.of(70L, 50L), 3)).isEqualTo(50);
        assertThat(Room.available(List.of(), 2)).isZero();
        assertThat(Room.available(List.of(0L, 0L), 1)).isZero();
    }
}
