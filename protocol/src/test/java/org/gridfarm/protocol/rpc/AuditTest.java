package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class AuditTest {
    private final AtomicLong now = new AtomicLong();
    private final Audit audit = new Audit(now::get);

    @Test
    void whoMakesNoiseHidesNobodyElse() {
        int loud = 0;
        for (int i = 0; i < 1000; i++) {
            if (audit.admitted("/CN=loud") >= 0) loud++;
        }
        assertThat(loud).isEqualTo(10);
        assertThat(audit.admitted("/CN=quiet")).as("left out before").isEqualTo(990);
        assertThat(audit.admitted("/CN=quiet")).isZero();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(audit.admitted("/CN=loud")).as("in the next second").isZero();
    }

    @Test
    void manyTogetherMakeNoMoreLinesThanOneCanRead() {
        int lines = 0;
        for (int i = 0; i < 1000; i++) {
            if (audit.admitted("/CN=" + i) >= 0) lines++;
        }
        assertThat(lines).isEqualTo(200);
    }
}
