package org.gridfarm.protocol.auth.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;

/** Tickets that nobody has made: whatever they are, they are not the one that was. */
class TicketJazzerTest {
    private static final NodeName NODE = new NodeName("n1");
    private static final SimClock CLOCK = new SimClock(Instant.parse("2026-03-01T10:30:00Z"));
    private static final TicketGate GATE = new TicketGate(NODE, CLOCK);
    private static final byte[] GOOD = good();

    private static byte[] good() {
        Entropy entropy = Entropy.seeded(7);
        TicketKeys keys = new TicketKeys(TicketKeys.newSecret(entropy));
        GATE.keys(keys.ring(NODE, CLOCK.now()));
        return new TicketMint(keys, CLOCK, entropy)
                .seal(NODE, 5, 0, 1, Rights.READ, CLOCK.now().getEpochSecond() + 60, 0, 9);
    }

    static Stream<byte[]> tickets() {
        return Stream.of(GOOD, new byte[Ticket.BYTES], new byte[0]);
    }

    @MethodSource("tickets")
    @FuzzTest(maxDuration = "1m")
    void tickets(byte[] bytes) {
        try {
            GATE.verify(bytes, 5, 0, 1, Rights.READ, OptionalLong.of(9));
            assertThat(bytes).isEqualTo(GOOD);
        } catch (FarmException e) {
            assertThat(e.kind()).isEqualTo(ErrorKind.TICKET_REFUSED);
            assertThat(Arrays.equals(bytes, GOOD)).isFalse();
        }
        TicketGate.claimsClient(bytes, 9);
    }

    @Test
    void oneThatWasChanged() {
        Random random = new Random(Tier.seed(20261127L));
        for (int i = 0; i < Tier.count("decoders"); i++) tickets(Changed.of(GOOD, random));
    }
}
