package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.ticket.ChainHash;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ResolveRequest;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

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

    /** Who has closed the file, or may not write it any more, could go on for so long. */
    @Test
    void whatIsGivenToWriteEndsWithinAMinute() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(writer);
        long now = System.currentTimeMillis() / 1000;
        Layout written = open(writer, inode, 501, true).getLayout();
        assertThat(written.getTicketExpiry()).isBetween(now + 55, now + 65);
        for (Replica member : written.getObjects(0).getReplicasList()) {
            assertThat(bytes(member).getLong(40)).isEqualTo(written.getTicketExpiry());
        }
        Layout read = open(new TestClient(farm, leader, 12), inode, 601, false).getLayout();
        assertThat(of(read)).isEqualTo(Rights.READ);
        assertThat(read.getTicketExpiry()).isBetween(now + 295, now + 305);
    }

    private static ByteBuffer bytes(Replica replica) {
        return replica.getTicket().asReadOnlyByteBuffer();
    }

    @Test
    void whoMayWriteMayWriteAtTheHeadWithAllThatAreBehindIt() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = fileOfTwoCopies(writer);
        List<Replica> chain =
                open(writer, inode, 501, true).getLayout().getObjects(0).getReplicasList();
        assertThat(chain).hasSize(2);
        assertThat(of(chain.get(0).getTicket())).isEqualTo(Rights.READ_WRITE);
        assertThat(of(chain.get(1).getTicket())).isEqualTo(Rights.READ_CHAINED);
        long behind = new ChainHash().add(chain.get(1).getNode(), false).value();
        assertThat(bytes(chain.get(0)).getLong(48)).isEqualTo(behind);
    }

    @Test
    void aTicketTellsOnWhoseBehalfItsFileWasOpened() {
        TestClient writer = new TestClient(farm, leader, 11, "n1");
        long inode = createAndOpen(writer, "f", 500).getAttributes().getInode();
        Peer mount = farm.dial("mount", leader, Services.none());
        Duration patience = Duration.ofSeconds(10);
        mount.callPlain(
                        MetadataMethods.OPEN_SESSION,
                        OpenSessionRequest.newBuilder().setSession(12).setClient("mount").build(),
                        patience)
                .join();
        OpenReply opened =
                mount.callPlain(
                                MetadataMethods.OPEN,
                                OpenRequest.newBuilder()
                                        .setSession(12)
                                        .setInode(inode)
                                        .setHandle(600)
                                        .setRead(true)
                                        .setCredentials(
                                                Credentials.newBuilder().setUid(4321).setGid(7))
                                        .build(),
                                patience)
                        .join();
        assertThat(bytes(opened.getLayout().getObjects(0).getReplicas(0)).getInt(32))
                .isEqualTo(4321);
    }

    @Test
    void aNodeIsToldWhereTheOthersAre() {
        assertThat(n3.registered.getAddresses().getNodesList())
                .extracting(NodeAddress::getNode)
                .containsExactly("n1", "n2", "n3");
    }
}
