package org.gridfarm.protocol.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.time.Instant;
import java.util.stream.LongStream;

class NanosTest {
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    @Test
    void whatDoesNotFitBecomesTheNearestThatDoes() {
        assertThat(Nanos.of(Instant.parse("2400-01-01T00:00:00Z"))).isEqualTo(Long.MAX_VALUE);
        assertThat(Nanos.of(Instant.MAX)).isEqualTo(Long.MAX_VALUE);
        assertThat(Nanos.of(Instant.parse("1600-01-01T00:00:00Z"))).isEqualTo(Long.MIN_VALUE);
        assertThat(Nanos.of(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
        assertThat(Nanos.of(Instant.parse("1969-12-31T23:59:58.5Z"))).isEqualTo(-1_500_000_000L);
    }

    @Test
    void nothingIsRoundedAtTheEdges() {
        long last = Long.MAX_VALUE / 1_000_000_000;
        LongStream.of(
                        Long.MIN_VALUE,
                        -last - 2,
                        -last - 1,
                        -last,
                        -1,
                        0,
                        1,
                        last,
                        last + 1,
                        Long.MAX_VALUE)
                .forEach(seconds -> {
                    for (int nanos :
                            new int[] {
                                0,
                                1,
                                145_224_191,
                                145_224_192,
                                145_224_193,
                                854_775_806,
                                854_775_807,
                                854_775_808,
                                999_999_999
                            }) {
                        BigInteger exact =
                                BigInteger.valueOf(seconds)
                                        .multiply(SECOND)
                                        .add(BigInteger.valueOf(nanos));
                        long nearest =
                                exact.max(BigInteger.valueOf(Long.MIN_VALUE))
                                        .min(BigInteger.valueOf(Long.MAX_VALUE))
                                        .longValueExact();
                        assertThat(Nanos.of(seconds, nanos))
                                .as("%d s and %d ns", seconds, nanos)
                                .isEqualTo(nearest);
                    }
                });
    }
}
