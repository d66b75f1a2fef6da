package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who has changed its memory by halves drops it: a leader steps down, a cache asks for everything
 * again. What is planted is a directory that no journal has, followed by a change that throws.
 */
class DefectTest extends FarmOfOneLeader {
    private static final long GHOST = 4711;
    private static final List<Change> HALF =
            List.of(
                    Change.newBuilder()
                            .setInode(
                                    InodeImage.newBuilder()
                                            .setInode(GHOST)
                                            .setType(FileType.DIRECTORY)
                                            .setMode(0755)
                                            .setNlink(2)
                                            .setParent(1)
                                            .setVersion(1))
                            .build(),
                    Change.newBuilder()
                            .setDirent(
                                    DirentImage.newBuilder()
                                            .setParent(1)
                                            .setName(TestFarm.name("ghost"))
                                            .setInode(GHOST)
                                            .setType(FileType.DIRECTORY))
                            .build(),
                    Change.getDefaultInstance());

    @Test
    void aLeaderStepsDownAndWhatItAnsweredBeforeIsThere() {
        TestClient before = new TestClient(farm, leader, 11);
        MutateRequest answered = before.creating(1, "answered");
        MutateReply first = before.call(MetadataMethods.MUTATE, answered);
        CompletableFuture<Boolean> shown = new CompletableFuture<>();
        leader.server()
                .submit(serving -> {
                    Leading leading = (Leading) serving;
                    try {
                        leading.change(HALF, 0);
                    } finally {
                        shown.complete(leading.state().exists(GHOST));
                    }
                });
        assertThat(TestFarm.get(shown)).as("the plant has changed memory").isTrue();
        TestFarm.await("another term", () -> leadsSince(before.opened.getEpoch()));
        TestClient again = TestClient.comingBack(farm, leader, 11);
        assertThat(again.lookup(1, "ghost").getFound()).isFalse();
        assertThat(again.call(MetadataMethods.MUTATE, answered)).isEqualTo(first);
        assertThat(again.lookup(1, "answered").getFound()).isTrue();
    }

    /** Else it would be the one that is elected for ever, and nobody would lead. */
    @Test
    void whoFailsAsItBeginsToLeadIsElectedAgainAndLeads() {
        long before = leader.server().epoch();
        AtomicBoolean failed = new AtomicBoolean();
        leader.server()
                .submit(serving -> {
                    leader.server()
                            .beginsWith(start ->
                                    failed.compareAndSet(false, true) ? unbearable(start) : start);
                    ((Leading) serving).change(HALF, 0); // gives up the lead
                });
        TestFarm.await("the term after the one that did not begin", () -> leadsSince(before + 1));
        assertThat(failed).isTrue();
        TestClient client = new TestClient(farm, leader, 11);
        client.mkdir(1, "d");
        assertThat(client.lookup(1, "d").getFound()).isTrue();
    }

    private static Promotion.Start unbearable(Promotion.Start start) {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE); // overflows in nanoseconds
        return new Promotion.Start(
                start.claimedAt(),
                start.claim(),
                start.sequence(),
                start.applied(),
                tooLong,
                start.doubtful());
    }

    private boolean leadsSince(long epoch) {
        return leader.server().role().equals("leader")
                && leader.server().isReady()
                && leader.server().epoch() > epoch;
    }

    /** Else whoever finds a request that some handler cannot bear has a way to stop the farm. */
    @Test
    void whatFailsBeforeItChangesAnythingChangesNobodysRole() {
        TestClient client = new TestClient(farm, leader, 11);
        CompletableFuture<Void> thrown = new CompletableFuture<>();
        leader.server()
                .submit(serving -> {
                    thrown.complete(null);
                    throw new IllegalStateException("planted");
                });
        TestFarm.get(thrown);
        client.mkdir(1, "d"); // on the same connection, hence in the same term
        assertThat(client.lookup(1, "d").getFound()).isTrue();
        assertThat(leader.server().epoch()).isEqualTo(client.opened.getEpoch());
    }

    @Test
    void aCacheAsksForEverythingAgain() {
        MetaServerDaemon cache = farm.start("ms2", false);
        TestFarm.awaitRole(cache, "cache");
        TestClient writer = new TestClient(farm, leader, 11);
        writer.mkdir(1, "d");
        CompletableFuture<Boolean> served = new CompletableFuture<>();
        cache.server()
                .submit(serving -> {
                    Following following = (Following) serving;
                    try {
                        following.take(ChangeBatch.newBuilder().addAllChanges(HALF).build());
                    } finally {
                        // Looked at after the defect has been told of.
                        cache.server().submit(then -> served.complete(following.isServing()));
                    }
                });
        assertThat(TestFarm.get(served)).isFalse();
        TestFarm.awaitRole(cache, "cache");
        TestClient reader = new TestClient(farm, cache, 12);
        assertThat(reader.lookup(1, "ghost").getFound()).isFalse();
        assertThat(reader.lookup(1, "d").getFound()).isTrue();
        writer.mkdir(1, "e");
        assertThat(reader.lookup(1, "e").getFound()).isTrue();
    }
}
