package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
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
