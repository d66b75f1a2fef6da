package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecallLogTest {

    private final RecallLog log = new RecallLog();

    @Test
    void onlyRecallsAfterTheMarkAndOfTheNodeCount() {
        log.recalled(3);
        long mark = log.now();
        assertThat(log.recalledSince(mark, 3)).isFalse();
        log.recalled(4);
        assertThat(log.recalledSince(mark, 3)).isFalse();
        assertThat(log.recalledSince(mark, 4)).isTrue();
    }

    @Test
    void everythingIsEachNode() {
        long mark = log.now();
        log.everythingRecalled();
        assertThat(log.recalledSince(mark, 3)).isTrue();
        assertThat(log.recalledSince(log.now(), 3)).isFalse();
    }

    @Test
    void aRequestOlderThanTheRingTrustsNothing() {
        long mark = log.now();
        for (int i = 0; i <= RecallLog.RING; i++) {
            log.recalled(i);
        }
        assertThat(log.recalledSince(mark, 1_000_000)).isTrue();
    }
}
