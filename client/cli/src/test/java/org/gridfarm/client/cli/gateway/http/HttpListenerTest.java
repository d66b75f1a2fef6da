package org.gridfarm.client.cli.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpListenerTest {
    private static final int HEAD_BYTES = 48 << 10;

    /** Whatever strangers send before anybody knows who they are. */
    @ParameterizedTest
    @ValueSource(longs = {64L << 20, 256L << 20, 1L << 30, 16L << 30})
    void theHeadsOfAllRequestsFitIntoMemory(long heap) {
        int most = HttpListener.connectionsMax(heap);
        assertThat(most).isPositive();
        assertThat((long) most * HEAD_BYTES).isLessThanOrEqualTo(heap / 4);
        assertThat(most).isLessThanOrEqualTo(4_000);
    }
}
