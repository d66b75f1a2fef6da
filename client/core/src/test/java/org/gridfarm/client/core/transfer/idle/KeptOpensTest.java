package org.gridfarm.client.core.transfer.idle;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** What is open at the metaserver on account of a close is given up once, whatever comes first. */
class KeptOpensTest {
    private static final Credentials ALICE = Credentials.newBuilder().setUid(1001).build();
    private static final Credentials BOB = Credentials.newBuilder().setUid(1002).build();
    private static final long INODE = 42;
    private static final long VERSION = 7;

    private final SimClock clock = new SimClock();
    private final List<Long> closed = new ArrayList<>();
    private final KeptOpens kept =
            new KeptOpens(
                    new Releases(
                            (settled, unsettled) -> {
                                closed.addAll(settled);
                                return CompletableFuture.completedFuture(null);
                            },
                            clock),
                    clock);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private KeptOpens.Kept open(long handle) {
        return new KeptOpens.Kept(
                handle,
                ALICE,
                OpenFlags.READ,
                OpenReply.newBuilder()
                        .setAttributes(Attributes.newBuilder().setVersion(VERSION))
                        .build(),
                clock.nanoTime() + KeptOpens.KEPT.toNanos(),
                ended);
    }

    private KeptOpens.@Nullable Kept again(Credentials who, OpenFlags flags, long version) {
        return kept.take(INODE, who, flags, version);
    }

    private void later(Duration time) {
        clock.advance(time);
    }

    @Test
    void whoeverOpensItInTheSameWayHasTheHandle() {
        kept.add(INODE, open(1));
        KeptOpens.Kept taken = again(ALICE, OpenFlags.READ, VERSION);
        assertThat(taken).extracting(KeptOpens.Kept::handle).isEqualTo(1L);
        assertThat(ended).isCompleted();
        assertThat(again(ALICE, OpenFlags.READ, VERSION)).as("it is somebody's").isNull();
        later(Duration.ofMinutes(1));
        assertThat(closed).isEmpty();
    }

    @Test
    void nobodyElseHasIt() {
        kept.add(INODE, open(1));
        OpenFlags run = new OpenFlags(false, false, false, false, true);
        assertThat(again(BOB, OpenFlags.READ, VERSION)).isNull();
        assertThat(again(ALICE, run, VERSION)).isNull();
        assertThat(again(ALICE, OpenFlags.READ, VERSION)).isNotNull();
    }

    @Test
    void aFileThatHasChangedIsOpenedAnewAndTheOldOpenEnds() {
        kept.add(INODE, open(1));
        assertThat(again(BOB, OpenFlags.READ, VERSION + 1)).isNull();
        assertThat(ended).isCompleted();
        later(Duration.ofSeconds(1));
        assertThat(closed).containsExactly(1L);
        assertThat(again(ALICE, OpenFlags.READ, VERSION)).isNull();
    }

    @Test
    void itIsClosedWhenNobodyHasOpenedItForAWhile() {
        kept.add(INODE, open(1));
        later(KeptOpens.KEPT.minusSeconds(1));
        assertThat(closed).isEmpty();
        later(Duration.ofSeconds(4));
        assertThat(closed).containsExactly(1L);
        assertThat(ended).isCompleted();
    }

    /** What it says of nodes would never become true again, were the file opened all the time. */
    @Test
    void whoeverOpensItOutlivesTheAnswerOnce() {
        kept.add(INODE, open(1));
        KeptOpens.Kept taken = again(ALICE, OpenFlags.READ, VERSION);
        later(KeptOpens.KEPT);
        kept.add(INODE, Objects.requireNonNull(taken)); // closed only now
        assertThat(again(ALICE, OpenFlags.READ, VERSION)).isNull();
        later(Duration.ofSeconds(1));
        assertThat(closed).containsExactly(1L);
    }

    @Test
    void anAnswerThatMissesANodeIsNotKept() {
        Layout.Builder layout = Layout.newBuilder();
        layout.addObjectsBuilder().addReplicas(Replica.newBuilder().setNode("n1").setLive(true));
        assertThat(KeptOpens.isWhole(OpenReply.newBuilder().setLayout(layout).build())).isTrue();
        layout.getObjectsBuilder(0).addReplicas(Replica.newBuilder().setNode("n2"));
        assertThat(KeptOpens.isWhole(OpenReply.newBuilder().setLayout(layout).build())).isFalse();
    }

    @Test
    void aChangeOfTheFileTakesItAlong() {
        kept.add(INODE, open(1));
        kept.add(INODE + 1, open(2));
        assertThat(kept.take(new long[] {3, INODE})).containsExactly(1L);
        assertThat(again(ALICE, OpenFlags.READ, VERSION)).isNull();
    }

    @Test
    void aRecallClosesItBeforeItIsAnswered() {
        kept.add(INODE, open(1));
        assertThat(kept.closeNow(kept.remove(INODE))).isCompleted();
        assertThat(closed).containsExactly(1L);
        assertThat(kept.closeNow(kept.remove(INODE))).as("nothing is kept").isCompleted();
        later(Duration.ofMinutes(1));
        assertThat(closed).containsExactly(1L);
    }

    @Test
    void ofTooManyTheEldestIsClosed() {
        for (int i = 0; i <= KeptOpens.KEPT_MAX; i++) {
            kept.add(i, open(1000 + i));
        }
        later(Duration.ofMillis(100));
        assertThat(closed).containsExactly(1000L);
    }

    @Test
    void ofTwoReadersOfOneFileTheEarlierOpenIsClosed() {
        kept.add(INODE, open(1));
        kept.add(INODE, open(2));
        later(Duration.ofMillis(100));
        assertThat(closed).containsExactly(1L);
    }

    @Test
    void atTheEndOfTheSessionAllAreClosed() {
        kept.add(INODE, open(1));
        kept.add(INODE + 1, open(2));
        kept.giveUpAll();
        later(Duration.ofMillis(100));
        assertThat(closed).containsExactlyInAnyOrder(1L, 2L);
    }
}
