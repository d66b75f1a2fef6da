package org.gridfarm.metaserver.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.auth.ticket.TicketKey;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.SettingImage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** The secret of tickets is replaced while clients and nodes go on. */
class TicketRotationTest {
    private static final ObjectId OBJECT =
            ObjectId.newBuilder().setInode(5).setGeneration(1).build();

    private final SimClock clock = new SimClock(Instant.parse("2026-03-01T10:57:00Z"));
    private final FarmState state =
            new FarmState(clock, Entropy.seeded(1), Duration.ofMinutes(1).toNanos());
    private final TicketMaker tickets = new TicketMaker(state, clock);
    private final TicketGate node = new TicketGate(new NodeName("n1"), clock);

    @BeforeEach
    void beginAFarm() {
        apply(List.of(Objects.requireNonNull(tickets.missing())));
        heartbeat();
    }

    private void apply(List<SettingImage> settings) {
        settings.forEach(one -> state.apply(Change.newBuilder().setSetting(one).build()));
    }

    private void heartbeat() {
        node.keys(
                tickets.ring("n1").stream()
                        .map(key -> new TicketKey(key.getEpoch(), key.getKey().toByteArray()))
                        .toList());
    }

    private ByteString ticket() {
        return tickets.forNodes("n1", OBJECT, false);
    }

    private void taken(ByteString ticket) {
        node.verify(ticket.toByteArray(), 5, 0, 1, Rights.READ, OptionalLong.empty());
    }

    private void refused(ByteString ticket) {
        assertThatThrownBy(() -> taken(ticket)).isInstanceOf(FarmException.class);
    }

    @Test
    void eachTicketIsTakenToItsEndByNodesThatHadAHeartbeatInTime() {
        ByteString before = ticket();
        apply(tickets.rotated());
        taken(ticket()); // by a node that was not told yet
        clock.advance(TicketMaker.TOLD_WITHIN.minusSeconds(1));
        heartbeat();
        ByteString last = ticket();
        taken(last);
        clock.advance(Duration.ofSeconds(1));
        taken(ticket()); // of the new secret
        clock.advance(Duration.ofMinutes(4)); // into the next epoch
        heartbeat();
        taken(before);
        taken(last);
        taken(ticket());
    }

    @Test
    void afterThatTheFormerSecretIsWorthNothing() {
        ByteString stolen = Objects.requireNonNull(state.setting(TicketMaker.SECRET));
        apply(tickets.rotated());
        clock.advance(TicketMaker.FORMER_FOR);
        heartbeat();
        taken(ticket());
        FarmState thiefs = new FarmState(clock, Entropy.seeded(2), Duration.ofMinutes(1).toNanos());
        thiefs.apply(
                Change.newBuilder()
                        .setSetting(
                                SettingImage.newBuilder()
                                        .setKey(TicketMaker.SECRET)
                                        .setValue(stolen))
                        .build());
        refused(new TicketMaker(thiefs, clock).forNodes("n1", OBJECT, false));
        assertThat(tickets.ring("n1")).as("one key of each epoch").hasSize(3);
    }

    @Test
    void theNextOneWaitsForTheTicketsOfTheLast() {
        apply(tickets.rotated());
        clock.advance(TicketMaker.FORMER_FOR.minusSeconds(3));
        assertThatThrownBy(tickets::rotated).hasMessageContaining("3 s more");
        clock.advance(Duration.ofSeconds(3));
        apply(tickets.rotated());
        heartbeat();
        taken(ticket());
    }

    /** It keeps the last key of an epoch. */
    @Test
    void anOlderNodeHasTheKeyThatTicketsAreMadeWith() {
        apply(tickets.rotated());
        for (Duration step : List.of(Duration.ZERO, TicketMaker.TOLD_WITHIN)) {
            clock.advance(step);
            List<org.gridfarm.protocol.wire.TicketKey> ring = tickets.ring("n1");
            assertThat(ring).hasSize(6);
            node.keys(
                    ring.subList(3, 6).stream()
                            .map(key -> new TicketKey(key.getEpoch(), key.getKey().toByteArray()))
                            .toList());
            taken(ticket());
        }
    }
}
