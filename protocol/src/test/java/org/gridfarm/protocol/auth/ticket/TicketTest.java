package org.gridfarm.protocol.auth.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

class TicketTest {
    private static final NodeName N1 = new NodeName("n1");
    private static final NodeName N2 = new NodeName("n2");
    private static final long INODE = 0x1122334455667788L;
    private static final long CLIENT = 0x0102030405060708L;
    private static final OptionalLong BY_CLIENT = OptionalLong.of(CLIENT);

    private final Entropy entropy = Entropy.seeded(7);
    private final SimClock clock = new SimClock(Instant.parse("2026-03-01T10:30:00Z"));
    private final TicketKeys keys = new TicketKeys(TicketKeys.newSecret(entropy));
    private final TicketMint mint = new TicketMint(keys, clock, entropy);
    private final TicketGate gate = gateOf(N1);

    private TicketGate gateOf(NodeName node) {
        TicketGate made = new TicketGate(node, clock);
        made.keys(keys.ring(node, clock.now()));
        return made;
    }

    private byte[] ticket(Rights rights) {
        long expiry = clock.now().plus(TicketMint.LIFE_DEFAULT).getEpochSecond();
        return mint.seal(N1, INODE, 3, 9, rights, expiry, 1000, CLIENT);
    }

    private void refused(
            byte[] ticket,
            long inode,
            int stripe,
            int generation,
            Rights needed,
            OptionalLong client) {
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> gate.verify(ticket, inode, stripe, generation, needed, client))
                .matches(e -> e.kind() == ErrorKind.TICKET_REFUSED);
    }

    @Test
    void aTicketAllowsWhatItSaysAndTellsForWhom() {
        Ticket read = gate.verify(ticket(Rights.READ_WRITE), INODE, 3, 9, Rights.WRITE, BY_CLIENT);

        assertThat(read.uid()).isEqualTo(1000);
        assertThat(read.rights()).isEqualTo(Rights.READ_WRITE);
        assertThat(ticket(Rights.READ)).hasSize(96);
    }

    @Test
    void everyOneBitChangeIsRefused() {
        byte[] good = ticket(Rights.READ_WRITE);
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] changed = good.clone();
            changed[bit / 8] ^= (byte) (0x80 >>> bit % 8);
            refused(changed, INODE, 3, 9, Rights.READ, OptionalLong.empty());
            Ticket still = gate.verify(good, INODE, 3, 9, Rights.READ, BY_CLIENT);
            assertThat(still.inode()).isEqualTo(INODE);
        }
    }

    @Test
    void anotherObjectRightClientOrLengthIsRefused() {
        byte[] ticket = ticket(Rights.READ);
        refused(ticket, INODE + 1, 3, 9, Rights.READ, BY_CLIENT);
        refused(ticket, INODE, 4, 9, Rights.READ, BY_CLIENT);
        refused(ticket, INODE, 3, 10, Rights.READ, BY_CLIENT);
        refused(ticket, INODE, 3, 9, Rights.READ_WRITE, BY_CLIENT);
        refused(ticket, INODE, 3, 9, Rights.ADMIN, BY_CLIENT);
        refused(ticket, INODE, 3, 9, Rights.READ, OptionalLong.of(CLIENT + 1));
        refused(new byte[0], INODE, 3, 9, Rights.READ, BY_CLIENT);
        refused(java.util.Arrays.copyOf(ticket, 97), INODE, 3, 9, Rights.READ, BY_CLIENT);
    }

    @Test
    void whoMayReadMayAskForTheSizeAndNotTheOtherWayRound() {
        assertThat(gate.verify(ticket(Rights.READ), INODE, 3, 9, Rights.STAT, BY_CLIENT).client())
                .isEqualTo(CLIENT);
        assertThat(gate.verify(ticket(Rights.STAT), INODE, 3, 9, Rights.STAT, BY_CLIENT).client())
                .isEqualTo(CLIENT);
        refused(ticket(Rights.STAT), INODE, 3, 9, Rights.READ, BY_CLIENT);
        refused(ticket(Rights.STAT), INODE, 3, 9, Rights.WRITE, BY_CLIENT);
        refused(ticket(Rights.WRITE), INODE, 3, 9, Rights.STAT, BY_CLIENT);
    }

    @Test
    void whoMayWriteAtTheHeadMayWriteWhatIsPassedOnAndNotTheOtherWayRound() {
        assertThat(gate.verify(ticket(Rights.WRITE), INODE, 3, 9, Rights.CHAINED, BY_CLIENT).node())
                .isNotZero();
        refused(ticket(Rights.READ_CHAINED), INODE, 3, 9, Rights.WRITE, BY_CLIENT);
        long behind = new ChainHash().add("n2", false).add("n3", true).value();
        byte[] head =
                mint.seal(
                        N1,
                        INODE,
                        3,
                        9,
                        Rights.READ_WRITE,
                        clock.now().getEpochSecond() + 60,
                        1000,
                        behind,
                        CLIENT);
        assertThat(gate.verify(head, INODE, 3, 9, Rights.WRITE, BY_CLIENT).nonce())
                .isEqualTo(behind);
    }

    @Test
    void theMembersBehindAHeadAreThoseInThatOrderAndNoOthers() {
        long behind = new ChainHash().add("n2", false).add("n3", false).value();
        assertThat(new ChainHash().value()).isEqualTo(ChainHash.NONE).isNotEqualTo(behind);
        assertThat(new ChainHash().add("n2", false).add("n3", false).value()).isEqualTo(behind);
        assertThat(
                        List.of(
                                new ChainHash().add("n2", false).value(),
                                new ChainHash().add("n3", false).add("n2", false).value(),
                                new ChainHash().add("n2", false).add("n3", true).value(),
                                new ChainHash().add("n2n3", false).value()))
                .doesNotContain(behind)
                .doesNotHaveDuplicates();
    }

    @Test
    void whoseATicketForAnotherNodeIsCanBeSeenWithoutItsKey() {
        byte[] ticket = ticket(Rights.READ);
        assertThat(TicketGate.claimsClient(ticket, CLIENT)).isTrue();
        assertThat(TicketGate.claimsClient(ticket, CLIENT + 1)).isFalse();
        assertThat(TicketGate.claimsClient(new byte[0], CLIENT)).isFalse();
        assertThat(TicketGate.claimsClient(new byte[96], 0)).isFalse();
    }

    @Test
    void aNodeThatPassesATicketOnNeedsNoClientKey() {
        assertThat(
                        gate.verify(
                                        ticket(Rights.WRITE),
                                        INODE,
                                        3,
                                        9,
                                        Rights.WRITE,
                                        OptionalLong.empty())
                                .client())
                .isEqualTo(CLIENT);
    }

    @Test
    void oneNodesTicketAndKeyAreWorthNothingAtAnother() {
        TicketGate other = gateOf(N2);
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() ->
                        other.verify(ticket(Rights.READ), INODE, 3, 9, Rights.READ, BY_CLIENT));

        TicketGate stolen =
                new TicketGate(N2, clock); // n2 with n1's keys: the node number still tells
        stolen.keys(keys.ring(N1, clock.now()));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() ->
                        stolen.verify(ticket(Rights.READ), INODE, 3, 9, Rights.READ, BY_CLIENT))
                .withMessageContaining("another node");
    }

    @Test
    void aTicketEndsWithItsTimeAndTheSkewIsFiveSeconds() {
        byte[] ticket = ticket(Rights.READ);
        clock.advance(TicketMint.LIFE_DEFAULT.plus(TicketGate.CLOCK_SKEW));
        assertThat(gate.verify(ticket, INODE, 3, 9, Rights.READ, BY_CLIENT).uid()).isEqualTo(1000);
        clock.advance(Duration.ofSeconds(1));
        refused(ticket, INODE, 3, 9, Rights.READ, BY_CLIENT);
    }

    @Test
    void ticketsOfTheNeighbouringEpochsPassAndOlderKeysAreForgotten() {
        clock.advance(Duration.ofMinutes(28)); // two minutes before the next epoch
        byte[] before = ticket(Rights.READ);
        clock.advance(Duration.ofMinutes(4));
        byte[] after = ticket(Rights.READ);
        // The node's ring is that of the epoch before: it has the next key already.
        assertThat(gate.verify(after, INODE, 3, 9, Rights.READ, BY_CLIENT).epoch())
                .isEqualTo(gate.verify(before, INODE, 3, 9, Rights.READ, BY_CLIENT).epoch() + 1);

        gate.keys(List.of(keys.key(N1, TicketKeys.epochAt(clock.now()) + 2)));
        refused(after, INODE, 3, 9, Rights.READ, BY_CLIENT);
    }

    @Test
    void aTicketOfAnotherFarmsSecretIsRefused() {
        TicketMint other =
                new TicketMint(new TicketKeys(TicketKeys.newSecret(entropy)), clock, entropy);
        long expiry = clock.now().plusSeconds(60).getEpochSecond();
        refused(
                other.seal(N1, INODE, 3, 9, Rights.READ, expiry, 0, CLIENT),
                INODE,
                3,
                9,
                Rights.READ,
                BY_CLIENT);
    }

    @Test
    void whileTheSecretChangesTicketsOfBothPassAndThenOnlyThoseOfTheNew() {
        TicketKeys fresh = new TicketKeys(TicketKeys.newSecret(entropy));
        TicketMint later = new TicketMint(fresh, clock, entropy);
        long expiry = clock.now().plusSeconds(60).getEpochSecond();
        byte[] before = ticket(Rights.READ);
        byte[] after = later.seal(N1, INODE, 3, 9, Rights.READ, expiry, 1000, CLIENT);
        List<TicketKey> both = new java.util.ArrayList<>(keys.ring(N1, clock.now()));
        both.addAll(fresh.ring(N1, clock.now()));

        gate.keys(both);
        assertThat(gate.verify(before, INODE, 3, 9, Rights.READ, BY_CLIENT).uid()).isEqualTo(1000);
        assertThat(gate.verify(after, INODE, 3, 9, Rights.READ, BY_CLIENT).uid()).isEqualTo(1000);
        before[5] ^= 1;
        refused(before, INODE, 3, 9, Rights.READ, BY_CLIENT);
        before[5] ^= 1;

        gate.keys(fresh.ring(N1, clock.now()));
        assertThat(gate.verify(after, INODE, 3, 9, Rights.READ, BY_CLIENT).uid()).isEqualTo(1000);
        refused(before, INODE, 3, 9, Rights.READ, BY_CLIENT);
    }

    @Test
    void noTicketIsMadeToOutliveItsKey() {
        long expiry = clock.now().plus(TicketMint.LIFE_MAX).getEpochSecond() + 1;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mint.seal(N1, INODE, 0, 0, Rights.READ, expiry, 0, CLIENT));
    }
}
