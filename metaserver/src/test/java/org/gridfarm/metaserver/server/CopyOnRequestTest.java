package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicateReply;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.SetPolicy;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Copies at a node that somebody names and waits for. */
class CopyOnRequestTest extends FarmOfThreeNodes {
    private final CompletableFuture<Boolean> copied = new CompletableFuture<>();

    /** The file of one copy, whose second one is under way to the node that is answered. */
    private FakeNode beingCopied(TestClient client, long inode) {
        n2.copied = copied;
        n3.copied = copied;
        commit(client, inode, 500, true, List.of("n1"));
        set(client, SetPolicy.newBuilder().setInode(inode).setReplicas(2));
        TestFarm.await(
                "a copy under way",
                () -> {
                    client.renew();
                    return n2.copies.size() + n3.copies.size() == 1;
                });
        return n2.copies.isEmpty() ? n3 : n2;
    }

    private CompletableFuture<ReplicateReply> copyTo(TestClient client, long inode, FakeNode to) {
        return client.peer.callPlain(
                MetadataMethods.REPLICATE,
                ReplicateRequest.newBuilder()
                        .setSession(client.session)
                        .setInode(inode)
                        .setToNode(to.name)
                        .build(),
                TestFarm.PATIENCE);
    }

    @Test
    void itComesAfterOneThatIsUnderWayToAnotherNode() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        FakeNode first = beingCopied(client, inode);
        FakeNode other = first == n2 ? n3 : n2;
        CompletableFuture<ReplicateReply> asked = copyTo(client, inode, other);
        client.renew(); // the leader has begun with what came before
        assertThat(other.copies).isEmpty();
        copied.complete(true);
        TestFarm.get(asked);
        assertThat(other.copies).hasSize(1);
        assertThat(replicas(client, inode)).extracting(Replica::getNode).contains(other.name);
    }

    @Test
    void whoWaitsIsToldWhenTheFileIsOpenedForWritingMeanwhile() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        FakeNode first = beingCopied(client, inode);
        CompletableFuture<ReplicateReply> asked = copyTo(client, inode, first == n2 ? n3 : n2);
        client.renew();
        open(client, inode, 501, true);
        copied.complete(true);
        assertThatThrownBy(() -> TestFarm.get(asked)).hasMessageContaining("open for writing");
    }
}
