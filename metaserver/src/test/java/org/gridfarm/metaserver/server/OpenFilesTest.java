package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Access;
import org.gridfarm.protocol.wire.AccessedRequest;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Open files, chains and repair at one leader, with nodes that only obey. */
class OpenFilesTest extends FarmOfThreeNodes {
    @Test
    void aFileWhoseCreationWasNotHeardOfIsOpenAtTheNextLeader() {
        TestClient client = new TestClient(farm, leader, 11);
        MutateRequest request = creatingAndOpening(client, "f", 71);
        long inode = client.call(MetadataMethods.MUTATE, request).getAttributes().getInode();
        nextLeader();
        TestClient again = new TestClient(farm, leader, 11);
        again.command(); // its sequence was the creation's
        MutateReply reply = again.call(MetadataMethods.MUTATE, request);
        assertThat(reply.getOpened().getMode()).isEqualTo(DataMode.EXCLUSIVE);
        assertThat(reply.getOpened().getAttributes().getInode()).isEqualTo(inode);
        String head = reply.getOpened().getLayout().getObjects(0).getReplicas(0).getNode();
        commit(again, inode, 71, true, List.of(head));
        assertThat(attributes(again, inode).getSize()).isEqualTo(100);
    }

    @Test
    void anAccessCountsUnlessTheFileWasChangedSinceItWasKnown() {
        TestClient reader = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(reader, "f", 71).getAttributes().getInode();
        commit(reader, inode, 71, true, List.of("n1"));
        Attributes known = attributes(reader, inode);
        long read = known.getCtime() + 1;
        AccessedRequest request =
                AccessedRequest.newBuilder()
                        .setSession(11)
                        .addAccesses(
                                Access.newBuilder()
                                        .setInode(inode)
                                        .setTime(read)
                                        .setBefore(known.getAtime()))
                        .addAccesses(Access.newBuilder().setInode(inode + 1000).setTime(read))
                        .build();
        assertThat(reader.call(MetadataMethods.ACCESSED, request).getChangedList())
                .singleElement()
                .satisfies(now -> assertThat(now.getAtime()).isEqualTo(read))
                .isEqualTo(attributes(new TestClient(farm, leader, 12), inode));
        assertThat(reader.call(MetadataMethods.ACCESSED, request).getChangedList()).isEmpty();
    }

    @Test
    void aNewFileIsWrittenAtTheClientsOwnNodeAndReadThere() {
        TestClient writer = new TestClient(farm, leader, 11, "n2");
        MutateReply made = createAndOpen(writer, "f", 500);
        long inode = made.getAttributes().getInode();
        assertThat(made.getOpened().getMode()).isEqualTo(DataMode.EXCLUSIVE);
        List<Replica> chain = made.getOpened().getLayout().getObjects(0).getReplicasList();
        assertThat(chain).extracting(Replica::getNode).containsExactly("n2");
        assertThat(chain.getFirst().getTicket().size()).isEqualTo(96);
        TestClient other = new TestClient(farm, leader, 12);
        assertThat(attributes(other, inode).getWriting()).isTrue();
        assertThat(commit(writer, inode, 500, true, List.of("n2")).getAttributes().getSize())
                .isEqualTo(100);
        Attributes after = attributes(other, inode);
        assertThat(after.getWriting()).isFalse();
        assertThat(after.getSize()).isEqualTo(100);
        OpenReply read = open(other, inode, 600, false);
        assertThat(read.getMode()).isEqualTo(DataMode.READ_SHARED);
        assertThat(read.getLayout().getObjects(0).getReplicas(0).getNode()).isEqualTo("n2");
    }

    private static CompletableFuture<OpenReply> startWriting(
            TestClient client, long inode, long handle) {
        return client.start(
                MetadataMethods.OPEN,
                OpenRequest.newBuilder().setInode(inode).setHandle(handle).setWrite(true).build());
    }

    @Test
    void aWritersOpenWaitsUntilReadersHaveDroppedWhatTheyCached() throws Exception {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, true, List.of("n1"));
        TestClient reader = new TestClient(farm, leader, 12);
        open(reader, inode, 600, false);
        CompletableFuture<Void> release = new CompletableFuture<>();
        reader.holdRecalls(release);
        CompletableFuture<OpenReply> opening = startWriting(writer, inode, 501);
        TestFarm.await(
                "data recall", () -> reader.recalls.stream().anyMatch(r -> r.getDataCount() > 0));
        assertThat(opening.isDone()).isFalse();
        release.complete(null);
        assertThat(opening.get(5, TimeUnit.SECONDS).getMode()).isEqualTo(DataMode.WRITE_SHARED);
    }

    @Test
    void anOpenSaysWhetherItHasEmptiedTheFile() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        MutateReply made = createAndOpen(writer, "f", 500);
        long inode = made.getAttributes().getInode();
        OpenRequest.Builder wish =
                OpenRequest.newBuilder().setInode(inode).setWrite(true).setTruncate(true);
        OpenRequest beside = wish.setHandle(501).build();
        assertThat(writer.call(MetadataMethods.OPEN, beside).getEmptied()).isFalse();
        writer.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(501).build());
        commit(writer, inode, 500, true, List.of("n1"));
        assertThat(attributes(writer, inode).getSize()).isEqualTo(100);
        OpenRequest alone = wish.setHandle(502).build();
        assertThat(writer.call(MetadataMethods.OPEN, alone).getEmptied()).isTrue();
        assertThat(attributes(writer, inode).getSize()).isZero();
        writer.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(502).build());
        assertThat(open(writer, inode, 503, true).getEmptied()).isFalse(); // it was not asked to
    }

    /** As one who only keeps a file open that he has read does. */
    @Test
    void aWriterWhoIsAloneWhenReadersHaveGivenTheFileUpIsToldSo() throws Exception {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, true, List.of("n1"));
        TestClient reader = new TestClient(farm, leader, 12);
        open(reader, inode, 600, false);
        CompletableFuture<Void> release = new CompletableFuture<>();
        reader.holdRecalls(release);
        CompletableFuture<OpenReply> opening = startWriting(writer, inode, 501);
        TestFarm.await(
                "data recall", () -> reader.recalls.stream().anyMatch(r -> r.getDataCount() > 0));
        reader.call(
                MetadataMethods.CLOSE,
                CloseRequest.newBuilder().setSession(12).addHandles(600).build());
        release.complete(null);
        assertThat(opening.get(5, TimeUnit.SECONDS).getMode()).isEqualTo(DataMode.EXCLUSIVE);
        assertThat(open(reader, inode, 601, false).getMode()).isEqualTo(DataMode.WRITE_SHARED);
        assertThat(refresh(writer, inode, 501).getMode()).isEqualTo(DataMode.WRITE_SHARED);
    }

    /** As a writer does whose program has closed the file a moment ago. */
    @Test
    void aReaderReadsWhatNobodyWritesWhenTheWriterHasGivenTheFileUp() throws Exception {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        CompletableFuture<Void> release = new CompletableFuture<>();
        writer.holdRecalls(release);
        TestClient reader = new TestClient(farm, leader, 12);
        CompletableFuture<OpenReply> opening =
                reader.start(
                        MetadataMethods.OPEN,
                        OpenRequest.newBuilder()
                                .setInode(inode)
                                .setHandle(600)
                                .setRead(true)
                                .build());
        TestFarm.await(
                "data recall", () -> writer.recalls.stream().anyMatch(r -> r.getDataCount() > 0));
        commit(writer, inode, 500, true, List.of("n1"));
        assertThat(opening.isDone()).isFalse();
        release.complete(null);
        OpenReply opened = opening.get(5, TimeUnit.SECONDS);
        assertThat(opened.getMode()).isEqualTo(DataMode.READ_SHARED);
        assertThat(opened.getLayout().getObjects(0).getReplicas(0).getState())
                .isEqualTo(ReplicaState.VALID);
    }

    /** It may have bytes that only its own node's file has, and nobody else's node any more. */
    @Test
    void whoWritesBesideAReaderSendsWhatHeHasBeforeAnotherWrites() throws Exception {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        open(new TestClient(farm, leader, 12), inode, 600, false);
        assertThat(refresh(writer, inode, 500).getOthersWrote()).isFalse();
        writer.recalls.clear();
        CompletableFuture<Void> sent = new CompletableFuture<>();
        writer.holdRecalls(sent);
        TestClient other = new TestClient(farm, leader, 13);
        CompletableFuture<OpenReply> opening = startWriting(other, inode, 700);
        TestFarm.await(
                "data recall", () -> writer.recalls.stream().anyMatch(r -> r.getDataCount() > 0));
        assertThat(opening.isDone()).isFalse();
        assertThat(refresh(writer, inode, 500).getOthersWrote())
                .as("the other has not written yet")
                .isFalse();
        sent.complete(null);
        opening.get(5, TimeUnit.SECONDS);
        assertThat(refresh(writer, inode, 500).getOthersWrote()).isTrue();
        writer.recalls.clear();
        open(other, inode, 701, true);
        assertThat(writer.recalls).as("it writes already").isEmpty();
    }

    @Test
    void aFileThatNoNodeCanTakeIsNotMade() {
        TestClient client = new TestClient(farm, leader, 11);
        for (FakeNode node : List.of(n1, n2, n3)) node.close();
        List<MutateRequest> refused = new ArrayList<>();
        TestFarm.await(
                "no node is left",
                () -> {
                    client.renew();
                    MutateRequest request =
                            creatingAndOpening(client, "f" + refused.size(), 900 + refused.size());
                    refused.add(request);
                    return client.start(MetadataMethods.MUTATE, request)
                            .handle((reply, failure) -> failure != null)
                            .join();
                });
        MutateRequest last = refused.getLast();
        String name = last.getCreate().getName().toStringUtf8();
        assertThat(client.lookup(1, name).getFound()).isFalse();
        n1 = new FakeNode(farm, leader, "n1", 77, List.of());
        client.renew();
        MutateRequest again =
                last.toBuilder().setCreate(last.getCreate().toBuilder().setExclusive(true)).build();
        assertThat(client.call(MetadataMethods.MUTATE, again).getOpened().getMode())
                .isEqualTo(DataMode.EXCLUSIVE);
    }

    private OpenReply fails(TestClient client, long inode, long handle, String node) {
        return client.call(
                MetadataMethods.CHAIN_FAILURE,
                ChainFailureRequest.newBuilder()
                        .setHandle(handle)
                        .setInode(inode)
                        .addFailedNodes(node)
                        .setReason("test")
                        .setWritten(true)
                        .build());
    }

    /** What no node has room for would go round between them for ever. */
    @Test
    void nothingMovesToNodesThatWereFullBefore() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        ChainFailureRequest full =
                ChainFailureRequest.newBuilder()
                        .setHandle(500)
                        .setInode(inode)
                        .addAllFailedNodes(List.of("n1", "n2", "n3"))
                        .setFull(true)
                        .setReason("test")
                        .setWritten(true)
                        .build();
        assertThatThrownBy(() -> writer.call(MetadataMethods.CHAIN_FAILURE, full))
                .hasMessageContaining("every node that could take it is full");
        assertThat(n2.copies).isEmpty();
        assertThat(n3.copies).isEmpty();
    }

    /** A file of level two, open at handle 501, whose second node has failed. */
    private long openWithAShortChain(TestClient writer) {
        long inode = fileOfTwoCopies(writer);
        List<Replica> both =
                open(writer, inode, 501, true).getLayout().getObjects(0).getReplicasList();
        assertThat(both).hasSize(2);
        assertThat(
                        fails(writer, inode, 501, both.getLast().getNode())
                                .getLayout()
                                .getObjects(0)
                                .getReplicasList())
                .extracting(Replica::getNode)
                .containsExactly("n1");
        writer.recalls.clear();
        TestFarm.await("somebody joins", () -> chain(writer, inode, 501).size() == 2);
        return inode;
    }

    @Test
    void aNodeJoinsAChainThatBecameShortAndIsAMemberOnceItHoldsTheContent() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = openWithAShortChain(writer);
        assertThat(writer.recalls)
                .anyMatch(recall -> recall.getDataList().stream().anyMatch(DataRecall::getLayout));
        List<Replica> now = chain(writer, inode, 501);
        String joining = now.getLast().getNode();
        assertThat(now).extracting(Replica::getJoining).containsExactly(false, true);
        TestClient reader = new TestClient(farm, leader, 12);
        assertThat(open(reader, inode, 600, false).getLayout().getObjects(0).getReplicasList())
                .extracting(Replica::getNode)
                .containsExactly("n1");

        commit(writer, inode, 501, false, List.of("n1"));
        assertThat(chain(writer, inode, 501)).extracting(Replica::getJoining).contains(true);
        commit(writer, inode, 501, false, List.of("n1", joining));
        assertThat(chain(writer, inode, 501))
                .extracting(Replica::getNode, Replica::getJoining)
                .containsExactly(tuple("n1", false), tuple(joining, false));
        assertThat(replicas(reader, inode))
                .extracting(Replica::getNode, Replica::getState)
                .contains(tuple("n1", ReplicaState.VALID), tuple(joining, ReplicaState.VALID));
    }

    @Test
    void whoHasNotGotEverythingWhenTheFileIsClosedIsToldToDeleteIt() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = openWithAShortChain(writer);
        FakeNode node = node(chain(writer, inode, 501).getLast().getNode());
        node.deleted.clear();
        commit(writer, inode, 501, true, List.of("n1"));
        awaitDeletion(writer, node, inode);
    }

    @Test
    void whoHasNotGotEverythingWhenNobodyAnswersIsToldToDeleteIt() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = openWithAShortChain(writer);
        FakeNode node = node(chain(writer, inode, 501).getLast().getNode());
        node.deleted.clear();
        n1.refusesSeals = true;
        closeUnsettled(writer, 501);
        awaitDeletion(writer, node, inode);
        n1.refusesSeals = false;
        awaitSealed(writer, inode);
    }

    private static void awaitDeletion(TestClient client, FakeNode node, long inode) {
        TestFarm.await(
                "told to delete it",
                () -> {
                    client.renew();
                    return node.deleted.stream().anyMatch(o -> o.getInode() == inode);
                });
    }

    @Test
    void whoFailsWhileItJoinsIsLeftOut() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = openWithAShortChain(writer);
        String joining = chain(writer, inode, 501).getLast().getNode();
        assertThat(fails(writer, inode, 501, joining).getLayout().getObjects(0).getReplicasList())
                .extracting(Replica::getNode)
                .doesNotContain(joining);
    }

    @Test
    void aCommitThatNamesOnlyFormerMembersIsToldSo() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(writer);
        open(writer, inode, 501, true);
        assertThatThrownBy(() -> commit(writer, inode, 501, false, List.of("elsewhere")))
                .hasMessageContaining("no member of its chain");
    }

    /** Of two clients that write, the one that asked the chain for the size first may come last. */
    @Test
    void aCommitOfASizeThatWasAskedForBeforeAnotherClientsCommitIsRefused() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        TestClient other = new TestClient(farm, leader, 12, "n1");
        long asked = open(other, inode, 600, true).getAttributes().getVersion();
        commit(other, inode, 600, false, List.of("n1"), asked);
        assertThatThrownBy(() -> commit(writer, inode, 500, true, List.of("n1"), asked))
                .hasMessageContaining("another client has committed since");
        long now = refresh(writer, inode, 500).getAttributes().getVersion();
        commit(writer, inode, 500, true, List.of("n1"), now);
    }

    /** What its writer has written, and nobody committed, is at the chain alone. */
    @Test
    void whoOpensWhileAWriterHasNotComeToTheNextLeaderAsksTheChain() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        nextLeader();
        TestClient other = new TestClient(farm, leader, 12, "n1");
        assertThat(open(other, inode, 600, false).getMode()).isEqualTo(DataMode.WRITE_SHARED);
        assertThatThrownBy(() -> open(other, inode, 601, true))
                .hasMessageContaining("has not come to the new leader yet");
    }

    @Test
    void missingCopiesAreMadeAndThoseOfDeadNodesReplaced() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        FakeNode second =
                List.of(n1, n2, n3).stream()
                        .filter(n -> !n.copies.isEmpty())
                        .findFirst()
                        .orElseThrow();
        second.close();
        TestFarm.await(
                "third copy",
                () -> {
                    client.renew();
                    return replicas(client, inode).stream().filter(Replica::getLive).count() == 2;
                });
    }

    /** A member of the chain that does not have it must not make an empty one. */
    @Test
    void theChainOfAFileThatHasContentSaysSo() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        MutateReply made = createAndOpen(client, "f", 500);
        long inode = made.getAttributes().getInode();
        assertThat(made.getOpened().getLayout().getObjects(0).getReplicas(0).getState())
                .isEqualTo(ReplicaState.WRITING);
        commit(client, inode, 500, true, List.of("n1"));
        OpenReply again = open(client, inode, 501, true);
        assertThat(again.getLayout().getObjects(0).getReplicas(0).getState())
                .isEqualTo(ReplicaState.VALID);
    }

    @Test
    void theLastCopyThatANodeLostIsRememberedUntilItHasItAgain() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        n1.close();
        n1 = new FakeNode(farm, leader, "n1", 2, List.of());
        TestFarm.await(
                "it was asked by name and does not have it",
                () -> {
                    client.renew();
                    return replicas(client, inode).stream()
                            .allMatch(replica ->
                                    replica.getNode().equals("n1")
                                            && replica.getState() == ReplicaState.LOST);
                });
        assertThatThrownBy(() -> open(client, inode, 501, true))
                .hasMessageContaining("no node that holds its content");
        n1.close();
        ObjectId object = ObjectId.newBuilder().setInode(inode).setGeneration(1).build();
        n1 = new FakeNode(farm, leader, "n1", 3, List.of(object));
        assertThat(replicas(client, inode))
                .extracting(Replica::getNode, Replica::getState)
                .containsExactly(tuple("n1", ReplicaState.VALID));
        assertThat(n1.deleted).isEmpty();
        assertThat(open(client, inode, 502, true).getLayout().getObjectsCount()).isEqualTo(1);
    }

    @Test
    void aReplicaThatWasCutOffIsComparedWithAnotherAndOneThatDiffersIsCorrupt() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        n1.close();
        ObjectId object = ObjectId.newBuilder().setInode(inode).setGeneration(1).build();
        // Before it tells what it holds: it may be asked for the digest at once.
        n1 = new FakeNode(farm, leader, "n1", 2, List.of(object), node -> node.digest = "torn");
        TestFarm.await(
                "found to differ",
                () -> {
                    client.renew();
                    return replicas(client, inode).stream()
                            .noneMatch(replica ->
                                    replica.getNode().equals("n1")
                                            && replica.getState() == ReplicaState.VALID);
                });
    }

    @Test
    void aCopyThatIsNotWantedAnyMoreIsDeletedByACallThatIsWaitedFor() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        n2.close();
        ObjectId superseded = ObjectId.newBuilder().setInode(inode).setGeneration(0).build();
        n2 = new FakeNode(farm, leader, "n2", 2, List.of(superseded));
        TestFarm.await("deleted", () -> n2.deleted.contains(superseded));
    }

    /** What was on its way when the file was closed arrives later. */
    @Test
    void aRefreshOfAHandleThatIsClosedDoesNotOpenItAgain() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        open(client, inode, 501, true);
        client.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(500).build());
        assertThatThrownBy(() -> chain(client, inode, 500)).hasMessageContaining("refresh");
        client.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(501).build());
        assertThat(attributes(client, inode).getWriting()).isFalse();
    }

    @Test
    void anOpenThatIsRefusedForWantOfAReplicaLeavesNothingOpen() {
        TestClient client = new TestClient(farm, leader, 11, "n2");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n2"));
        n2.close();
        TestClient reader = new TestClient(farm, leader, 12);
        AtomicLong handle = new AtomicLong(600);
        TestFarm.await(
                "nobody has it",
                () -> {
                    client.renew();
                    reader.renew();
                    try {
                        long drawn = handle.getAndIncrement();
                        open(reader, inode, drawn, false);
                        reader.call(
                                MetadataMethods.CLOSE,
                                CloseRequest.newBuilder().addHandles(drawn).build());
                        return false;
                    } catch (FarmException e) {
                        return e.kind() == ErrorKind.DATA_UNAVAILABLE;
                    }
                });
        ObjectId object = ObjectId.newBuilder().setInode(inode).setGeneration(1).build();
        n2 = new FakeNode(farm, leader, "n2", 2, List.of(object));
        client.renew();
        assertThat(open(client, inode, 501, true).getMode()).isEqualTo(DataMode.EXCLUSIVE);
    }

    @Test
    void anUnlinkedFileLivesUntilItsLastClose() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, false, List.of("n1"));
        client.unlink(1, "f");
        assertThat(attributes(client, inode).getNlink()).isZero();
        commit(client, inode, 500, true, List.of("n1"));
        TestFarm.await("deleted", () -> isDeleted(inode));
    }

    @Test
    void theCopiesOfAnUnlinkedFileAreDeleted() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long removed = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, removed, 500, true, List.of("n1"));
        client.unlink(1, "f");
        TestFarm.await("deleted", () -> isDeleted(removed));
        long replaced = createAndOpen(client, "g", 501).getAttributes().getInode();
        commit(client, replaced, 501, true, List.of("n1"));
        client.create(1, "h");
        client.call(
                MetadataMethods.MUTATE,
                client.command()
                        .setRename(
                                Rename.newBuilder()
                                        .setParent(1)
                                        .setName(TestFarm.name("h"))
                                        .setToParent(1)
                                        .setToName(TestFarm.name("g")))
                        .build());
        TestFarm.await("deleted", () -> isDeleted(replaced));
    }

    private boolean isDeleted(long inode) {
        return n1.deleted.stream().anyMatch(o -> o.getInode() == inode);
    }

    @Test
    void handlesAreClosedByNumber() {
        TestClient client = new TestClient(farm, leader, 11);
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        client.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(500).build());
        assertThat(attributes(client, inode).getWriting()).isFalse();
    }
}
