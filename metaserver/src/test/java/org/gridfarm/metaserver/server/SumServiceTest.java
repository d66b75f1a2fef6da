package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.SumOfReplica;
import org.gridfarm.protocol.wire.SumReply;
import org.gridfarm.protocol.wire.SumRequest;
import org.junit.jupiter.api.Test;

/** Digests that nodes tell, beside the one that is known of the content. */
class SumServiceTest extends FarmOfThreeNodes {
    private SumReply sum(TestClient client, long inode, boolean verify) {
        return client.call(
                MetadataMethods.SUM,
                SumRequest.newBuilder().setInode(inode).setVerify(verify).build());
    }

    @Test
    void aCopyThatIsNotWhatIsKnownDiffersWhereverItStandsInTheList() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        n1.digest = n2.digest = n3.digest = "closed";
        assertThat(sum(client, inode, false).getDigest())
                .isEqualTo(ByteString.copyFromUtf8("closed"));
        String liar = replicas(client, inode).get(0).getNode();
        for (FakeNode node : new FakeNode[] {n1, n2, n3}) {
            node.digest = node.name.equals(liar) ? "changed" : "closed";
        }
        SumReply found = sum(client, inode, true);
        assertThat(found.getReplicasList())
                .hasSize(2)
                .allSatisfy(copy ->
                        assertThat(copy.getDiffers()).isEqualTo(copy.getNode().equals(liar)));
    }

    @Test
    void copiesThatWereAllChangedInOneWayAreNotWhatWasClosed() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        n1.digest = n2.digest = n3.digest = "closed";
        sum(client, inode, false);
        n1.digest = n2.digest = n3.digest = "changed";
        assertThat(sum(client, inode, true).getReplicasList()).allMatch(SumOfReplica::getDiffers);
        assertThat(sum(client, inode, false).getDigest())
                .isEqualTo(ByteString.copyFromUtf8("closed"));
    }
}
