package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class KeptListingsTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long DIRECTORY = 7;

    private final SimClock clock = new SimClock();
    private final KeptListings kept = new KeptListings(clock);

    @Test
    void aListingIsBelievedAsLongAsItsFirstPart() {
        kept.begins(DIRECTORY);
        kept.told(DIRECTORY, 2 * SECOND, false);
        assertThat(kept.isBelieved(DIRECTORY)).as("before its end").isFalse();
        kept.told(DIRECTORY, 5 * SECOND, true);
        assertThat(kept.isBelieved(DIRECTORY)).isTrue();
        clock.advance(Duration.ofSeconds(2));
        assertThat(kept.isBelieved(DIRECTORY)).isFalse();
    }

    @Test
    void onePartThatMayNotBeBelievedSpoilsAll() {
        kept.begins(DIRECTORY);
        kept.told(DIRECTORY, 0, false);
        kept.told(DIRECTORY, 5 * SECOND, true);
        assertThat(kept.isBelieved(DIRECTORY)).isFalse();
        kept.begins(DIRECTORY);
        kept.told(DIRECTORY, 5 * SECOND, true);
        assertThat(kept.isBelieved(DIRECTORY)).isTrue();
    }

    @Test
    void whatTheKernelDoesNotKeepIsNotBelieved() {
        kept.told(DIRECTORY, SECOND, true);
        assertThat(kept.isBelieved(DIRECTORY)).isFalse();
    }

    @Test
    void memoryIsBounded() {
        for (long directory = 0; directory < 100_000; directory++) {
            kept.begins(directory);
            kept.told(directory, SECOND, true);
        }
        long believed = 0;
        for (long directory = 0; directory < 100_000; directory++) {
            believed += kept.isBelieved(directory) ? 1 : 0;
        }
        assertThat(believed).isBetween(1L, 4096L);
    }
}
