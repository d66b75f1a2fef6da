package org.gridfarm.protocol.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class WriteTimesTest {
    private static final long MS = Duration.ofMillis(1).toNanos();
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long MADE = 1_700_000_000L * 1000 * MS;

    @Test
    void aWriteMovesBothTimesToWhenItWas() {
        long written = MADE + 20 * MS;
        assertThat(WriteTimes.modified(MADE, MADE, written)).isEqualTo(written);
        assertThat(WriteTimes.changed(MADE, MADE, written, MADE + 90 * MS)).isEqualTo(written);
    }

    @Test
    void aWriteInTheTickOfTheCreationMovesNothing() {
        long written = MADE - 3 * MS;
        assertThat(WriteTimes.modified(MADE, MADE, written)).isEqualTo(MADE);
        assertThat(WriteTimes.changed(MADE, MADE, written, MADE + 5 * MS)).isEqualTo(MADE);
    }

    @Test
    void aModeSetAfterTheWriteKeepsItsTime() {
        long written = MADE + 20 * MS;
        long modeSet = MADE + 2 * HOUR;
        assertThat(WriteTimes.modified(MADE, modeSet, written)).isEqualTo(written);
        assertThat(WriteTimes.changed(MADE, modeSet, written, modeSet + MS)).isEqualTo(modeSet);
    }

    @Test
    void whatMovesTheChangeTimeAloneHidesNoWrite() {
        long written = MADE + 20 * MS;
        long linked = MADE + 2 * HOUR;
        assertThat(WriteTimes.told(MADE, MADE, linked)).isLessThan(written);
        assertThat(WriteTimes.told(MADE, written, linked)).as("committed").isEqualTo(written);
    }

    @Test
    void aModificationTimeThatWasSetHidesWhatWasWrittenBefore() {
        long set = MADE + 20 * MS;
        for (long time : new long[] {MADE - HOUR, set, set + 1000 * HOUR}) {
            assertThat(WriteTimes.told(set, time, set)).isEqualTo(set);
        }
        assertThat(WriteTimes.told(0, MADE - HOUR, set)).as("not known").isEqualTo(set);
    }

    @Test
    void aWriteEndsAModificationTimeInTheFuture() {
        long future = MADE + 1000 * HOUR;
        long written = MADE + 20 * MS;
        assertThat(WriteTimes.modified(future, MADE, written)).isEqualTo(written);
        assertThat(WriteTimes.changed(future, MADE, written, MADE + 30 * MS)).isEqualTo(written);
    }

    @Test
    void aWriterWhoseClockIsWrongStillMovesBoth() {
        long now = MADE + 20 * MS;
        for (long written : new long[] {now - HOUR, now + HOUR}) {
            assertThat(WriteTimes.modified(MADE, MADE, written)).isEqualTo(written);
            assertThat(WriteTimes.changed(MADE, MADE, written, now)).isEqualTo(now);
        }
    }
}
