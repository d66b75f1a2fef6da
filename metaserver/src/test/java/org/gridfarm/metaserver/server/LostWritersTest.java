package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.CloseSessionRequest;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.SetPolicy;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** What becomes of files whose writers are lost, or leave what they could not commit. */
class LostWritersTest extends FarmOfThreeNodes {
    @Test
    void aLostWritersFileIsSealedUnderTheNextGeneration() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        TestClient other = new TestClient(farm, leader, 12);
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        writer.peer.close();
        TestFarm.await(
                "sealed",
                () -> {
                    other.renew();
                    return !attributes(other, inode).getWriting();
                });
        Attributes sealed = attributes(other, inode);
        assertThat(sealed.getGeneration()).isEqualTo(2);
        assertThat(sealed.getSize()).isEqualTo(77);
        assertThat(n1.seals).hasSize(1);
    }

    /** Else he would be told what was committed last, as if nothing had been written since. */
    @Test
    void whoOpensAFileBetweenTheEndOfItsWriterAndTheSealAsksTheChain() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        TestClient other = new TestClient(farm, leader, 12);
        long lost = createAndOpen(writer, "lost", 500).getAttributes().getInode();
        long left = createAndOpen(other, "left", 501).getAttributes().getInode();
        CompletableFuture<Boolean> mayAnswer = new CompletableFuture<>();
        for (FakeNode node : List.of(n1, n2, n3)) node.sealed = mayAnswer;
        closeUnsettled(other, 501);
        requireAtTheChain(open(other, left, 601, false));
        writer.peer.close();
        TestFarm.await(
                "it is being sealed",
                () -> {
                    other.renew();
                    return n1.seals.stream().anyMatch(s -> s.getObject().getInode() == lost);
                });
        requireAtTheChain(open(other, lost, 600, false));
        mayAnswer.complete(true);
        for (long inode : List.of(lost, left)) {
            awaitSealed(other, inode);
            OpenReply sealed = open(other, inode, 700 + inode, false);
            assertThat(sealed.getMode()).isEqualTo(DataMode.READ_SHARED);
            assertThat(sealed.getAttributes().getSize()).isEqualTo(77);
        }
        assertThat(refresh(other, lost, 600).getMode()).isEqualTo(DataMode.READ_SHARED);
    }

    private static void requireAtTheChain(OpenReply opened) {
        assertThat(opened.getMode()).isEqualTo(DataMode.WRITE_SHARED);
        assertThat(opened.getCacheable()).isFalse();
        assertThat(opened.getLayout().getObjects(0).getReplicas(0).getState())
                .isEqualTo(ReplicaState.WRITING);
    }

    @Test
    void manyFilesOfALostWriterAreSealedAFewAtATimeAndThoseThatAreWantedFirst() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        TestClient other = new TestClient(farm, leader, 12);
        List<Long> inodes = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            inodes.add(createAndOpen(writer, "f" + i, 500 + i).getAttributes().getInode());
        }
        CompletableFuture<Boolean> mayAnswer = new CompletableFuture<>();
        n1.sealed = mayAnswer;
        writer.peer.close();
        TestFarm.await(
                "seals begin",
                () -> {
                    other.renew();
                    return n1.seals.size() >= ServerLimits.SEALED_AT_ONCE;
                });
        List<Long> waiting =
                inodes.stream()
                        .filter(inode ->
                                n1.seals.stream().noneMatch(s -> s.getObject().getInode() == inode))
                        .toList();
        long wanted = waiting.getLast();
        long read = waiting.get(waiting.size() - 2);
        assertThatThrownBy(() -> open(other, wanted, 900, true))
                .as("it is not written to before it is sealed")
                .hasMessageContaining("brought into order");
        requireAtTheChain(open(other, read, 901, false));
        assertThat(attributes(other, wanted).getWriting()).as("and others are served").isTrue();
        assertThat(n1.seals).hasSize(ServerLimits.SEALED_AT_ONCE);
        mayAnswer.complete(true);
        TestFarm.await(
                "all are sealed",
                () -> {
                    other.renew();
                    return inodes.stream()
                            .noneMatch(inode -> attributes(other, inode).getWriting());
                });
        assertThat(n1.seals).hasSize(300);
        assertThat(n1.seals.subList(ServerLimits.SEALED_AT_ONCE, ServerLimits.SEALED_AT_ONCE + 2))
                .extracting(seal -> seal.getObject().getInode())
                .containsExactlyInAnyOrder(wanted, read);
    }

    @Test
    void whatAWriterLeavesUncommittedBecomesTheContentAsItStandsOnTheChain() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, false, List.of("n1"));
        closeUnsettled(writer, 500);
        awaitSealed(writer, inode);
        assertThat(attributes(writer, inode).getSize()).as("100 were committed").isEqualTo(77);
        assertThat(attributes(writer, inode).getWriting()).isFalse();
        assertThat(open(writer, inode, 501, true).getMode()).isEqualTo(DataMode.EXCLUSIVE);
    }

    @Test
    void whatAWriterLeavesUncommittedIsSealedWhenTheLastOtherIsDone() {
        TestClient one = new TestClient(farm, leader, 11, "n1");
        TestClient two = new TestClient(farm, leader, 12);
        TestClient three = new TestClient(farm, leader, 13);
        long inode = createAndOpen(one, "f", 500).getAttributes().getInode();
        open(two, inode, 600, true);
        open(three, inode, 700, true);
        closeUnsettled(one, 500);
        commit(two, inode, 600, true, List.of("n1"));
        assertThat(attributes(two, inode).getWriting()).isTrue();
        assertThat(n1.seals).isEmpty();
        three.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(700).build());
        awaitSealed(two, inode);
        assertThat(n1.seals).hasSize(1);
    }

    @Test
    void aLostWritersChangesAreSealedWhenTheLastOtherIsDone() {
        TestClient lost = new TestClient(farm, leader, 11, "n1");
        TestClient other = new TestClient(farm, leader, 12);
        long inode = createAndOpen(lost, "f", 500).getAttributes().getInode();
        open(other, inode, 600, true);
        long read = createAndOpen(other, "g", 650).getAttributes().getInode();
        open(lost, read, 550, false);
        lost.peer.close();
        AtomicLong handle = new AtomicLong(651);
        TestFarm.await(
                "it is lost",
                () -> {
                    other.renew();
                    OpenReply again = open(other, read, handle.getAndIncrement(), false);
                    return again.getMode() == DataMode.EXCLUSIVE;
                });
        assertThat(refresh(other, inode, 600).getMode())
                .as("what the lost one wrote stands on the chain alone")
                .isEqualTo(DataMode.WRITE_SHARED);
        assertThat(n1.seals).isEmpty();
        commit(other, inode, 600, true, List.of("n1"));
        awaitSealed(other, inode);
    }

    private record Written(long inode, String head) {}

    /** Session 11 has it open at handle 500, session 12 at 600; neither has come back yet. */
    private Written writtenByTwoAsTheLeaderChanges() {
        MutateReply made = createAndOpen(new TestClient(farm, leader, 11), "f", 500);
        long inode = made.getAttributes().getInode();
        open(new TestClient(farm, leader, 12), inode, 600, true);
        nextLeader();
        return new Written(
                inode, made.getOpened().getLayout().getObjects(0).getReplicas(0).getNode());
    }

    private OpenReply reclaim(TestClient client, long inode, long handle) {
        return client.call(
                MetadataMethods.REFRESH,
                RefreshRequest.newBuilder()
                        .setHandle(handle)
                        .setInode(inode)
                        .setGeneration(1)
                        .setWrite(true)
                        .setReclaim(true)
                        .build());
    }

    @Test
    void aWriterThatComesBackToTheNextLeaderAfterAnotherHasClosedGoesOn() {
        Written file = writtenByTwoAsTheLeaderChanges();
        long inode = file.inode;
        TestClient oneAgain = new TestClient(farm, leader, 11);
        oneAgain.command(); // its sequence was the creation's
        reclaim(oneAgain, inode, 500);
        commit(oneAgain, inode, 500, true, List.of(file.head));
        TestClient twoAgain = new TestClient(farm, leader, 12);
        assertThat(reclaim(twoAgain, inode, 600).getMode()).isEqualTo(DataMode.EXCLUSIVE);
        commit(twoAgain, inode, 600, true, List.of(file.head));
        assertThat(attributes(twoAgain, inode).getWriting()).isFalse();
        assertThat(attributes(twoAgain, inode).getGeneration()).as("not sealed").isEqualTo(1);
    }

    @Test
    void aWriterThatComesBackToTheNextLeaderAfterAnotherWasLostGoesOnAndThenItIsSealed() {
        Written file = writtenByTwoAsTheLeaderChanges();
        long inode = file.inode;
        TestClient oneAgain = new TestClient(farm, leader, 11);
        reclaim(oneAgain, inode, 500);
        leaves(oneAgain);
        TestClient twoAgain = new TestClient(farm, leader, 12);
        assertThat(reclaim(twoAgain, inode, 600).getMode())
                .as("what the lost one wrote stands on the chain alone")
                .isEqualTo(DataMode.WRITE_SHARED);
        commit(twoAgain, inode, 600, true, List.of(file.head));
        awaitSealed(twoAgain, inode);
    }

    @Test
    void aFileOfWhichNobodyAnswersIsAsItWasCommittedUntilSomebodyDoes() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, false, List.of("n1"));
        n1.refusesSeals = true;
        closeUnsettled(writer, 500);
        TestFarm.await(
                "asked more than once",
                () -> {
                    writer.renew();
                    return n1.seals.size() > 1;
                });
        assertThat(attributes(writer, inode).getSize()).isEqualTo(100);
        assertThat(attributes(writer, inode).getWriting())
                .as("its size is asked of nobody")
                .isFalse();
        assertThatThrownBy(() -> open(writer, inode, 501, true)).hasMessageContaining("into order");
        n1.refusesSeals = false;
        awaitSealed(writer, inode);
        assertThat(attributes(writer, inode).getSize()).isEqualTo(77);
    }

    /** As when its lease runs out, which takes five seconds. */
    private static void leaves(TestClient client) {
        client.call(
                MetadataMethods.CLOSE_SESSION,
                CloseSessionRequest.newBuilder().setSession(11).build());
    }

    /**
     * A file of one committed copy at n1, open at handle 500, whose writer has told that n1 fails
     * and that it will bring the content to other nodes itself.
     */
    private long betweenChains(TestClient writer) {
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, false, List.of("n1"));
        OpenReply goesOn =
                writer.call(
                        MetadataMethods.CHAIN_FAILURE,
                        ChainFailureRequest.newBuilder()
                                .setHandle(500)
                                .setInode(inode)
                                .addFailedNodes("n1")
                                .setReason("test")
                                .setWritten(true)
                                .setRescue(true)
                                .build());
        Replica head = goesOn.getLayout().getObjects(0).getReplicas(0);
        assertThat(head.getNode()).isNotEqualTo("n1");
        assertThat(head.getState()).as("it is to make the object").isEqualTo(ReplicaState.WRITING);
        return inode;
    }

    @Test
    void whatWasCommittedIsNotLostWithAWriterThatWasBringingItToOtherNodes() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        TestClient other = new TestClient(farm, leader, 12);
        long inode = betweenChains(writer);
        n1.refusesSeals = true;
        leaves(writer);
        TestFarm.await(
                "asked more than once",
                () -> {
                    other.renew();
                    return n1.seals.size() > 1;
                });
        assertThat(n2.seals).as("it has at most a part").isEmpty();
        assertThat(n3.seals).isEmpty();
        n1.refusesSeals = false;
        awaitSealed(other, inode);
        assertThat(replicas(other, inode))
                .extracting(Replica::getNode, Replica::getState)
                .containsExactly(tuple("n1", ReplicaState.VALID));
        assertThat(attributes(other, inode).getSize()).isEqualTo(77);
    }

    @Test
    void whoEndsWithoutHavingBroughtItToOtherNodesLeavesWhatWasCommitted() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = betweenChains(writer);
        writer.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(500).build());
        awaitSealed(writer, inode);
        assertThat(n1.seals).hasSize(1);
    }

    @Test
    void theNextCommitCountsAtTheNodesToWhichAWriterBroughtTheContent() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = betweenChains(writer);
        String head = chain(writer, inode, 500).getFirst().getNode();
        commit(writer, inode, 500, true, List.of(head));
        TestFarm.await(
                "the old copy goes",
                () -> {
                    writer.renew();
                    return replicas(writer, inode).stream()
                            .allMatch(replica ->
                                    (replica.getState() == ReplicaState.VALID)
                                            == replica.getNode().equals(head));
                });
        assertThat(attributes(writer, inode).getWriting()).isFalse();
        assertThat(attributes(writer, inode).getGeneration()).as("not sealed").isEqualTo(1);
    }

    @Test
    void aStripedFileIsSealedWhenEachOfItsStripesHasAnswered() {
        TestClient writer = new TestClient(farm, leader, 11);
        TestClient other = new TestClient(farm, leader, 12);
        long directory = writer.mkdir(1, "striped").getAttributes().getInode();
        writer.call(
                MetadataMethods.MUTATE,
                writer.command()
                        .setSetPolicy(
                                SetPolicy.newBuilder()
                                        .setInode(directory)
                                        .setStripeCount(2)
                                        .setStripeUnit(65_536))
                        .build());
        MutateReply made =
                writer.call(
                        MetadataMethods.MUTATE,
                        writer.command()
                                .setCreate(
                                        CreateFile.newBuilder()
                                                .setParent(directory)
                                                .setName(TestFarm.name("f"))
                                                .setMode(0644)
                                                .setOpen(
                                                        OpenRequest.newBuilder()
                                                                .setWrite(true)
                                                                .setHandle(500)))
                                .build());
        long inode = made.getAttributes().getInode();
        String second = made.getOpened().getLayout().getObjects(1).getReplicas(0).getNode();
        FakeNode silent = node(second);
        silent.refusesSeals = true;
        writer.peer.close();
        TestFarm.await(
                "asked more than once",
                () -> {
                    other.renew();
                    return silent.seals.size() > 1;
                });
        assertThat(attributes(other, inode).getWriting())
                .as("its size is asked of nobody")
                .isFalse();
        assertThat(attributes(other, inode).getSize()).as("as it was committed").isZero();
        assertThatThrownBy(() -> open(other, inode, 600, true)).hasMessageContaining("into order");
        silent.refusesSeals = false;
        awaitSealed(other, inode);
        assertThat(attributes(other, inode).getSize())
                .as("77 bytes in each stripe")
                .isEqualTo(65_536 + 77);
    }
}
