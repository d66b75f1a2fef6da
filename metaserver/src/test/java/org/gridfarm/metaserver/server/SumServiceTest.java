package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SumOfReplica;
import org.gridfarm.protocol.wire.SumReply;
import org.gridfarm.protocol.wire.SumRequest;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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

    /** Each is a pass over the disks of two nodes. */
    @Test
    void whoHasManyReadAtOnceIsToldToWait() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(client);
        CompletableFuture<Boolean> read = new CompletableFuture<>();
        n1.verified = n2.verified = n3.verified = read;
        SumRequest request = SumRequest.newBuilder().setInode(inode).setVerify(true).build();
        List<CompletableFuture<SumReply>> asked = new ArrayList<>();
        for (int i = 0; i < ServerLimits.SUMMED_EACH_MAX / 2; i++) {
            asked.add(client.start(MetadataMethods.SUM, request));
        }
        assertThatThrownBy(() -> client.call(MetadataMethods.SUM, request))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.OVERLOADED))
                .hasMessageContaining("are being read for you already");
        read.complete(true);
        asked.forEach(each -> assertThat(each.join().getReplicasList()).hasSize(2));
        assertThat(sum(client, inode, true).getReplicasList()).hasSize(2);
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
