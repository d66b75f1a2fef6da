package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.ReplicateReply;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.SetPolicy;
import org.junit.jupiter.api.Test;

import java.util.List;

/** A file of two stripes of which the second was never written to. */
class ShortStripedFileTest extends FarmOfThreeNodes {
    @Test
    void itLacksNoCopyOfWhatIsNotThere() {
        TestClient client = new TestClient(farm, leader, 11, "n1");
        set(client, SetPolicy.newBuilder().setInode(1).setStripeCount(2).setStripeUnit(1 << 20));
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        set(client, SetPolicy.newBuilder().setInode(inode).setReplicas(2));
        ReplicateReply settled =
                client.call(
                        MetadataMethods.REPLICATE,
                        ReplicateRequest.newBuilder()
                                .setSession(client.session)
                                .setInode(inode)
                                .setWaitLevel(true)
                                .build());
        assertThat(settled.getLive()).isEqualTo(2);
        ClusterStatusReply status =
                client.call(
                        MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
        assertThat(status.getReplicasLost()).isZero();
    }
}
