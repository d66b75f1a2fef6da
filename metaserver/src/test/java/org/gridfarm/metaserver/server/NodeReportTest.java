package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Candidate;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaProblem;
import org.gridfarm.protocol.wire.ReplicaState;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What nodes report while files are open or being sealed, and what they are told to delete. */
class NodeReportTest extends FarmOfThreeNodes {
    private static ObjectId object(long inode, int generation) {
        return ObjectId.newBuilder().setInode(inode).setGeneration(generation).build();
    }

    private void awaitState(TestClient client, long inode, String node, ReplicaState wanted) {
        TestFarm.await(
                node + " " + wanted,
                () -> {
                    client.renew();
                    return replicas(client, inode).stream()
                            .anyMatch(replica ->
                                    replica.getNode().equals(node) && replica.getState() == wanted);
                });
    }

    @Test
    void aDamagedReplicaIsInTheChainOfAnOpenFileNoMore() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(writer);
        open(writer, inode, 501, true);
        assertThat(chain(writer, inode, 501)).extracting(Replica::getNode).hasSize(2);
        n1.damaged = List.of(object(inode, 1));
        awaitState(writer, inode, "n1", ReplicaState.CORRUPT);
        assertThat(chain(writer, inode, 501))
                .as("its size is asked of the head")
                .extracting(Replica::getNode)
                .doesNotContain("n1");
    }

    @Test
    void theOnlyReplicaOfAnOpenFileStaysInItsChain() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, false, List.of("n1"));
        n1.damaged = List.of(object(inode, 1));
        awaitState(writer, inode, "n1", ReplicaState.CORRUPT);
        assertThat(chain(writer, inode, 500)).extracting(Replica::getNode).contains("n1");
    }

    /** It restarts between its answer and that of another. */
    @Test
    void whatANodeHasSealedIsNotDeletedWhileTheSealIsNotTold() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(writer);
        open(writer, inode, 501, true);
        FakeNode slow =
                node(
                        replicas(writer, inode).stream()
                                .map(Replica::getNode)
                                .filter(name -> !name.equals("n1"))
                                .findFirst()
                                .orElseThrow());
        CompletableFuture<Boolean> answers = new CompletableFuture<>();
        slow.sealed = answers;
        closeUnsettled(writer, 501);
        TestFarm.await("both are asked", () -> !n1.seals.isEmpty() && !slow.seals.isEmpty());
        n1.close();
        n1 = new FakeNode(farm, leader, "n1", 2, List.of(object(inode, 2)));
        assertThat(replicas(writer, inode))
                .as("it is not lost, it goes on")
                .extracting(Replica::getNode, Replica::getState)
                .contains(tuple("n1", ReplicaState.VALID));
        writer.renew();
        answers.complete(true);
        awaitSealed(writer, inode);
        writer.mkdir(1, "durable-after-the-seal");
        assertThat(n1.deleted).doesNotContain(object(inode, 2));
        assertThat(replicas(writer, inode))
                .extracting(Replica::getNode, Replica::getState)
                .contains(tuple("n1", ReplicaState.VALID), tuple(slow.name, ReplicaState.VALID));
    }

    /** Closed; n1 has the only copy. */
    private long fileOfOneCopy(TestClient client) {
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        return inode;
    }

    private void restartN1(List<ObjectId> held) {
        n1.close();
        n1 = new FakeNode(farm, leader, "n1", n1.incarnation + 1, held);
    }

    /** The inventory was made before the seal and comes after it. */
    @Test
    void whatIsSealedWhileAnInventoryIsOnItsWayIsNotLost() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        commit(writer, inode, 500, false, List.of("n1"));
        n1.refusesSeals =
                true; // before it is gone it might still answer, and the next knows nothing of it
        n1.close();
        closeUnsettled(writer, 500);
        n1 =
                new FakeNode(
                        farm,
                        leader,
                        "n1",
                        2,
                        List.of(object(inode, 1)),
                        walked -> awaitSealed(writer, inode));
        writer.renew();
        TestFarm.await(
                "read again",
                () -> {
                    writer.renew();
                    return replicas(writer, inode).stream().anyMatch(Replica::getLive);
                });
        assertThat(replicas(writer, inode))
                .extracting(Replica::getNode, Replica::getState)
                .containsExactly(tuple("n1", ReplicaState.VALID));
        assertThat(n1.holds).containsExactly(object(inode, 2));
    }

    /** A seal moved it on, and the answer was never heard. */
    @Test
    void whatANodeHasUnderTheNextGenerationIsTheContentWhereNobodyHasAnother() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfOneCopy(client);
        restartN1(List.of(object(inode, 2)));
        awaitSealed(client, inode);
        assertThat(replicas(client, inode))
                .extracting(Replica::getNode, Replica::getState)
                .containsExactly(tuple("n1", ReplicaState.VALID));
        client.mkdir(1, "durable-after-the-seal");
        assertThat(n1.deleted).doesNotContain(object(inode, 2));
    }

    @Test
    void whatANodeDoesNotFindItIsAskedForAgain() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfOneCopy(client);
        restartN1(List.of());
        awaitState(client, inode, "n1", ReplicaState.LOST);
        n1.holds.add(object(inode, 1)); // its disk is mounted again
        awaitState(client, inode, "n1", ReplicaState.VALID);
    }

    /** Else the file would read as zeros. */
    @Test
    void aDamagedOnlyCopyIsNotForgottenWhenItsNodeStartsAgain() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfOneCopy(client);
        n1.damaged = List.of(object(inode, 1));
        awaitState(client, inode, "n1", ReplicaState.CORRUPT);
        restartN1(List.of());
        TestFarm.await("its inventory is taken", () -> isReadable("n1", client));
        assertThat(replicas(client, inode))
                .extracting(Replica::getNode, Replica::getState)
                .containsExactly(tuple("n1", ReplicaState.CORRUPT));
        assertThatThrownBy(() -> open(client, inode, 501, false))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.DATA_LOST));
    }

    private boolean isReadable(String node, TestClient client) {
        client.renew();
        return client
                .call(MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .getNodesList()
                .stream()
                .anyMatch(n -> n.getName().equals(node) && n.getState().equals("up"));
    }

    @Test
    void anInventoryThatWasCutOffOrThatADiskWasLostSinceIsWantedAgain() {
        fileOfOneCopy(new TestClient(farm, leader, 11, "n1"));
        assertThat(n1.register(false, false).getWantInventory()).as("it has told").isFalse();
        assertThat(n1.register(false, true).getWantInventory()).as("a disk is gone").isTrue();
        assertThat(n1.register(false, false).getWantInventory()).as("not told yet").isTrue();
    }

    /** A stale copy is worth keeping as long as none is better. */
    @Test
    void whatMayBeAllThatIsLeftIsNotDeleted() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfOneCopy(client);
        n2.close();
        n2 = new FakeNode(farm, leader, "n2", 2, List.of(object(inode, 7)));
        TestFarm.await("n1 has better", () -> n2.deleted.contains(object(inode, 7)));
        restartN1(List.of());
        awaitState(client, inode, "n1", ReplicaState.LOST);
        n3.close();
        n3 = new FakeNode(farm, leader, "n3", 2, List.of(object(inode, 7)));
        ReplicaProblem standing = standing(client, inode);
        assertThat(standing.getStanding()).isEqualTo("lost");
        assertThat(standing.getWaitsForList()).hasSize(1).first().asString().contains("n1");
        assertThat(standing.getCandidatesList())
                .extracting(Candidate::getNode, Candidate::getObject, Candidate::getSize)
                .containsExactly(tuple("n3", object(inode, 7), 77L));
        n1.holds.add(object(inode, 1));
        awaitState(client, inode, "n1", ReplicaState.VALID);
        TestFarm.await("n1 has better", () -> n3.deleted.contains(object(inode, 7)));
        assertThat(standing(client, inode).getStanding()).isEqualTo("here");
    }

    /** What is written meanwhile it misses. */
    @Test
    void aCopyThatWasNotFoundIsNeverTheContentOnceAnotherIsWritten() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        String other =
                replicas(client, inode).stream()
                        .map(Replica::getNode)
                        .filter(name -> !name.equals("n1"))
                        .findFirst()
                        .orElseThrow();
        n2.close(); // both: the third would soon have a copy, too
        n3.close();
        TestFarm.await("it is silent", () -> !isReadable(other, client));
        restartN1(List.of());
        awaitState(client, inode, "n1", ReplicaState.LOST);
        FakeNode back = new FakeNode(farm, leader, other, 9, List.of(object(inode, 1)));
        if (other.equals("n2")) n2 = back;
        else n3 = back;
        OpenReply opened = open(client, inode, 501, true);
        assertThat(opened.getLayout().getObjects(0).getReplicasList())
                .extracting(Replica::getNode)
                .contains(other)
                .doesNotContain("n1");
        assertThat(replicas(client, inode))
                .extracting(Replica::getState)
                .doesNotContain(ReplicaState.LOST);
    }

    private ReplicaProblem standing(TestClient client, long inode) {
        client.renew();
        return client.call(
                        MetadataMethods.LIST_REPLICAS,
                        ListReplicasRequest.newBuilder().setInode(inode).build())
                .getProblems(0);
    }

    @Test
    void whatANodeDidNotDeleteItIsToldAgain() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        n1.refusesDeletes = true;
        client.unlink(1, "f");
        TestFarm.await("told once", () -> n1.deleted.contains(object(inode, 1)));
        n1.deleted.clear();
        n1.refusesDeletes = false;
        // By its next heartbeat: nothing else happens in the farm.
        TestFarm.await("told again", () -> n1.deleted.contains(object(inode, 1)));
    }
}
