package org.gridfarm.metaserver.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.server.state.HeapRoom.Room;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class HeapRoomTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final HeapRoom heap = new HeapRoom(0.9);

    /** What looks full may be garbage: only a collection says it. */
    @Test
    void garbageMakesItDoubtfulAndACollectionTells() {
        heap.seen(0.89);
        assertThat(heap.room()).isEqualTo(Room.AMPLE);
        assertThat(heap.asks(0)).isFalse();
        heap.seen(0.93);
        assertThat(heap.room()).isEqualTo(Room.DOUBTFUL);
        assertThat(heap.asks(0)).isTrue();
        assertThat(heap.asks(SECOND)).as("it was asked for already").isFalse();
        heap.collected(0.4, SECOND, SECOND / 10);
        assertThat(heap.room()).isEqualTo(Room.AMPLE);
        heap.seen(0.91);
        assertThat(heap.asks(2 * SECOND)).as("not all the time").isFalse();
        assertThat(heap.asks(6 * SECOND)).isTrue();
    }

    @Test
    void doubtEndsWithoutACollectionWhereItIsLess() {
        heap.seen(0.92);
        heap.seen(0.5);
        assertThat(heap.room()).isEqualTo(Room.AMPLE);
    }

    @Test
    void fullIsLeftWhenThereIsClearlyRoomAgain() {
        full(0.91);
        heap.seen(0.88);
        assertThat(heap.room()).isEqualTo(Room.FULL);
        heap.seen(0.84);
        assertThat(heap.room()).isEqualTo(Room.AMPLE);
    }

    /** Where nothing happens nothing is collected, and what was deleted would never be noticed. */
    @Test
    void whileItIsFullItAsksNowAndThenWhetherItStillIs() {
        full(0.92);
        assertThat(heap.asks(29 * SECOND)).isFalse();
        assertThat(heap.asks(31 * SECOND)).isTrue();
        heap.collected(0.87, 31 * SECOND, SECOND);
        assertThat(heap.room()).isEqualTo(Room.FULL);
        assertThat(heap.asks(62 * SECOND)).isTrue();
        heap.collected(0.3, 62 * SECOND, SECOND);
        assertThat(heap.room()).isEqualTo(Room.AMPLE);
    }

    @Test
    void aLongCollectionIsAskedForMoreSeldom() {
        heap.seen(0.95);
        assertThat(heap.asks(0)).isTrue();
        heap.collected(0.93, 0, 4 * SECOND);
        assertThat(heap.asks(79 * SECOND)).isFalse();
        assertThat(heap.asks(81 * SECOND)).isTrue();
    }

    @Test
    void ofTheLastPartNotEvenWhatEndsWithASessionIsTaken() {
        full(0.96);
        assertThat(heap.room()).isEqualTo(Room.LAST);
        heap.seen(0.94);
        assertThat(heap.room()).isEqualTo(Room.FULL);
        heap.seen(0.951);
        assertThat(heap.room()).isEqualTo(Room.LAST);
    }

    private void full(double share) {
        heap.seen(share);
        assertThat(heap.asks(0)).isTrue();
        heap.collected(share, 0, 1);
        assertThat(heap.room()).isNotEqualTo(Room.AMPLE);
    }
}
