package org.gridfarm.metaserver.server.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class SilentClientsTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final SilentClients clients = new SilentClients();

    @Test
    void whoDoesNotAnswerIsGrantedNothingForAWhileAndTwiceAsLongTheNextTime() {
        clients.wasSilent("/CN=m", 0);
        assertThat(clients.until("/CN=m", SECOND)).isEqualTo(15 * SECOND);
        assertThat(clients.until("/CN=other", SECOND)).isNull();
        assertThat(clients.until("/CN=m", 15 * SECOND)).isNull();
        clients.wasSilent("/CN=m", 20 * SECOND);
        assertThat(clients.until("/CN=m", 21 * SECOND)).isEqualTo(50 * SECOND);
        for (int i = 1; i <= 20; i++) clients.wasSilent("/CN=m", (20 + 60 * i) * SECOND);
        assertThat(clients.until("/CN=m", 1221 * SECOND))
                .isEqualTo(1220 * SECOND + SilentClients.LONGEST.toNanos());
    }

    @Test
    void sessionsThatEndTogetherAreOneSilence() {
        for (int i = 0; i < 50; i++) clients.wasSilent("/CN=m", i);
        assertThat(clients.until("/CN=m", SECOND)).isEqualTo(15 * SECOND);
    }

    @Test
    void afterAnHourItIsForgotten() {
        clients.wasSilent("/CN=m", 0);
        clients.wasSilent("/CN=m", 20 * SECOND);
        clients.wasSilent("/CN=m", 4000 * SECOND);
        assertThat(clients.until("/CN=m", 4001 * SECOND)).isEqualTo(4015 * SECOND);
    }
}
