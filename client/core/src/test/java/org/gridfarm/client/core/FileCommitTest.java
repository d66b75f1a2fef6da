package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What fsync and close ask of the leader and of the chain, and what becomes of it when they refuse.
 */
@Timeout(60)
class FileCommitTest {
    private static final FarmPath PATH = FarmPath.of("/f");

    private final MemoryFarm memory = new MemoryFarm(2);
    private final MemoryMetaserver leader = memory.metaserver;
    private final Gridfarm farm = memory.client();

    @AfterEach
    void end() {
        memory.close();
    }

    private static void write(FarmFile file, long offset, int bytes) {
        file.write(offset, ByteBuffer.allocate(bytes));
    }

    private int syncs() {
        return memory.nodes.stream().mapToInt(node -> node.syncs.get()).sum();
    }

    private long durableSize(FarmFile file) {
        return leader.durable(file.handle().inode()).getSize();
    }

    @Test
    void anFsyncMakesTheSizeKnownAndACloseAfterItHasNothingToTell() {
        try (FarmFile file = farm.create(PATH, OpenFlags.WRITE, true)) {
            file.sync();
            assertThat(syncs()).as("nothing was written").isZero();
            write(file, 0, 100);
            assertThat(durableSize(file)).isZero();
            file.sync();
            assertThat(durableSize(file)).isEqualTo(100);
            assertThat(syncs()).isPositive();
            int changes = leader.calls("mutate");
            int synced = syncs();
            file.sync();
            assertThat(leader.calls("mutate")).as("what is known already").isEqualTo(changes);
            assertThat(syncs()).as("others may have written since").isGreaterThan(synced);
            file.close();
            assertThat(leader.calls("mutate")).isEqualTo(changes);
        }
    }

    /** It has moved to other nodes, or somebody else has committed: asked anew, and told again. */
    @Test
    void aCommitThatIsOutOfDateIsMadeAgain() {
        try (FarmFile file = farm.create(PATH, OpenFlags.WRITE, true)) {
            write(file, 0, 100);
            leader.refusedCommits.add(ErrorKind.STALE);
            leader.refusedCommits.add(ErrorKind.STALE);
            int refreshes = leader.calls("refresh");
            file.sync();
            assertThat(leader.refusedCommits).isEmpty();
            assertThat(leader.calls("refresh")).isEqualTo(refreshes + 2);
            assertThat(durableSize(file)).isEqualTo(100);
        }
    }

    @Test
    void aCommitThatIsOutOfDateForEverFailsAtTheDeadline() {
        for (int i = 0; i < 100_000; i++) leader.refusedCommits.add(ErrorKind.STALE);
        Gridfarm impatient = memory.client(java.time.Duration.ofMillis(300));
        FarmFile file = impatient.create(PATH, OpenFlags.WRITE, true);
        write(file, 0, 100);
        refused(ErrorKind.STALE, file::sync);
        leader.refusedCommits.clear();
        file.close();
        assertThat(durableSize(file)).isEqualTo(100);
    }

    /** Another client has written since, and the answer is still on its way. */
    @Test
    void whoseCloseTheLeaderHasTakenIsNoLongerAloneWithTheFile() {
        Gridfarm other = memory.client();
        FarmFile file = farm.create(PATH, OpenFlags.WRITE, true);
        long inode = file.handle().inode();
        write(file, 0, 100);
        CompletableFuture<Void> answered = new CompletableFuture<>();
        leader.commitsAnswered = answered;
        CompletableFuture<Void> closing = file.handle().close();
        await().until(() -> leader.durable(inode).getSize() == 100);
        try (FarmFile theirs = other.open(PATH, OpenFlags.READ_WRITE)) {
            write(theirs, 100, 50);
            assertThat(farm.metadata().attributes(inode).join().require("stat", "").getSize())
                    .isEqualTo(150);
            answered.complete(null);
            closing.join();
        }
    }

    private static void refused(
            ErrorKind kind, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(e -> assertThat(FarmException.of(e, "", "").kind()).isEqualTo(kind));
    }

    /** What a refused commit would have told is told by the next one. */
    @Test
    void anFsyncThatFailedIsMadeUpForByTheNext() {
        try (FarmFile file = farm.create(PATH, OpenFlags.WRITE, true)) {
            write(file, 0, 100);
            leader.refusedCommits.add(ErrorKind.QUOTA_EXCEEDED);
            refused(ErrorKind.QUOTA_EXCEEDED, file::sync);
            assertThat(durableSize(file)).isZero();
            file.sync();
            assertThat(durableSize(file)).isEqualTo(100);
        }
    }

    /** A node syncs nothing before it has shipped all, a second's worth at a call. */
    @Test
    void anFsyncAsksAgainUntilTheHeadHasShippedWhatALocalWriterLeftThere() {
        MemoryNode head = memory.nodes.get(0);
        try (FarmFile file = farm.create(PATH, OpenFlags.WRITE, true)) {
            write(file, 0, 100);
            head.shipsUpTo.addAll(List.of(7L, 9L));
            file.sync();
            assertThat(head.shippedFrom).containsExactly(0L, 7L, 9L);
        }
    }

    /** Else the leader would count it as open, and nobody would make the replicas agree. */
    @Test
    void aCloseThatFailedHasGivenUpItsHandleAsUnsettled() {
        FarmFile file = farm.create(PATH, OpenFlags.WRITE, true);
        write(file, 0, 100);
        leader.refusedCommits.add(ErrorKind.QUOTA_EXCEEDED);
        refused(ErrorKind.QUOTA_EXCEEDED, file::close);
        assertThat(leader.unsettled).containsExactly(file.handle().id());
        assertThat(leader.handles()).isZero();
    }

    /** Another client opens the file, and what was written is to be the same everywhere before. */
    @Test
    void whatCouldNotBeMadeToAgreeForARecallIsMadeToByTheClose() {
        leader.replicas = 2;
        FarmFile file = farm.create(PATH, OpenFlags.WRITE, true);
        write(file, 0, 100);
        MemoryNode head = memory.nodes.get(0);
        head.refusals.add(ErrorKind.INVALID);
        refused(ErrorKind.INVALID, () -> write(file, 0, 200));
        head.refusals.add(ErrorKind.INVALID);
        try (FarmFile other = memory.client().open(PATH, OpenFlags.READ)) {
            assertThat(head.refusals).as("the recall made the nodes agree, in vain").isEmpty();
            int synced = head.syncs.get();
            file.close();
            assertThat(head.syncs.get()).isGreaterThan(synced);
            assertThat(other.size()).isEqualTo(100);
        }
    }

    /** Whether content would be lost with the member is what the leader has to know of it. */
    @Test
    void ofAMemberThatFailsTheLeaderIsToldWhetherAnythingWasWrittenThere() {
        leader.replicas = 2;
        try (FarmFile file = farm.create(PATH, OpenFlags.WRITE, true)) {
            memory.nodes.get(1).close();
            write(file, 0, 100);
            ChainFailureRequest first = leader.chainFailures.get(0);
            assertThat(first.getFailedNodesList()).containsExactly("n2");
            assertThat(first.getHandle()).isEqualTo(file.handle().id());
            assertThat(first.getFull()).isFalse();
            assertThat(first.getRescue()).as("nothing of it is on this host").isFalse();
        }
        assertThat(leader.chainFailures).hasSize(1);
        assertThat(memory.nodes.get(0).content(2, 0, 1)).hasSize(100);
    }
}
