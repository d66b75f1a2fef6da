package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecentTellsTest {
    private static final long SETTLE = RecentTells.SETTLE_NANOS;
    private static final int THREAD = 4711;
    private static final int OF_ITS_SLOT = THREAD + (1 << 12);

    private long now = Long.MAX_VALUE - SETTLE / 2; // as nanoTime() may be
    private final RecentTells tells = new RecentTells(() -> now);

    @BeforeEach
    void beginLongAgo() {
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE); // a former process may have told
        now += SETTLE;
        assertThat(tells.attributesSettleIn(1)).isZero();
    }

    @Test
    void whatWasToldLastCounts() {
        tells.attributes(THREAD, 1);
        now += SETTLE / 2;
        tells.attributes(THREAD, 2);
        tells.attributes(THREAD, 1);
        now += 1;
        tells.attributes(THREAD, 3);
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE - 1);
        assertThat(tells.allSettleIn()).isEqualTo(SETTLE);
        now += SETTLE;
        assertThat(tells.attributesSettleIn(1)).isZero();
        assertThat(tells.allSettleIn()).isZero();
    }

    @Test
    void whoAsksForSomethingElseHasTakenNotice() {
        tells.attributes(THREAD, 1);
        tells.attributes(THREAD + 1, 1);
        tells.asks(THREAD);
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
        tells.asks(THREAD + 1);
        assertThat(tells.attributesSettleIn(1)).isZero();
        tells.attributes(THREAD, 1);
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
        tells.asks(THREAD);
        tells.asks(OF_ITS_SLOT);
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
    }

    /** A place in the ring is taken before it is filled. */
    @Test
    void anOldOneAmongThemHidesNoneBehindIt() {
        tells.attributes(THREAD, 1);
        now -= SETTLE;
        tells.attributes(THREAD, 2);
        now += SETTLE;
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
        assertThat(tells.attributesSettleIn(2)).isZero();
    }

    @Test
    void whoIsNotKnownIsNeverSaidToHave() {
        tells.attributes(0, 1);
        tells.asks(0);
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
    }

    @Test
    void namesInADirectoryAreNotItsAttributes() {
        tells.name(THREAD, 7);
        assertThat(tells.attributesSettleIn(7)).isZero();
        assertThat(tells.namesSettleIn(7)).isEqualTo(SETTLE);
        assertThat(tells.namesSettleIn(8)).isZero();
    }

    @Test
    void whatMayHaveBeenOverwrittenIsTakenAsJustTold() {
        tells.attributes(THREAD, 1);
        for (int i = 0; i < RecentTells.RING; i++) {
            tells.attributes(THREAD, 2);
        }
        assertThat(tells.attributesSettleIn(1)).isEqualTo(SETTLE);
        now += SETTLE;
        tells.attributes(THREAD, 2);
        assertThat(tells.attributesSettleIn(1)).isZero();
    }
}
