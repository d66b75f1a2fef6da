package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.ResolveRequest;
import org.junit.jupiter.api.Test;

/** What is given to whom, and no more. */
class TicketRightsTest extends FarmOfThreeNodes {
    private static Rights of(Layout layout) {
        return of(layout.getObjects(0).getReplicas(0).getTicket());
    }

    private static Rights of(ByteString ticket) {
        return new Rights(ticket.asReadOnlyByteBuffer().getInt(36));
    }

    @Test
    void whoSeesAFileThatIsBeingWrittenMayAskForItsSizeAndReadsNothing() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        TestClient other = new TestClient(farm, leader, 12);
        Layout told =
                other.call(
                                MetadataMethods.GET_ATTRIBUTES,
                                GetAttributesRequest.newBuilder().setInode(inode).build())
                        .getWriting();
        assertThat(of(told)).isEqualTo(Rights.STAT);
        Layout resolved =
                other.call(
                                MetadataMethods.RESOLVE,
                                ResolveRequest.newBuilder()
                                        .setStart(1)
                                        .setPath(TestFarm.name("f"))
                                        .build())
                        .getWriting();
        assertThat(of(resolved)).isEqualTo(Rights.STAT);
        assertThat(of(open(other, inode, 600, false).getLayout())).isEqualTo(Rights.READ);
        assertThat(of(chain(writer, inode, 500).getFirst().getTicket()))
                .isEqualTo(Rights.READ_WRITE);
    }

    @Test
    void aNodeIsToldWhereTheOthersAre() {
        assertThat(n3.registered.getAddresses().getNodesList())
                .extracting(NodeAddress::getNode)
                .containsExactly("n1", "n2", "n3");
    }
}
