package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.binding;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.VerifyObjectReply;
import org.gridfarm.protocol.wire.VerifyObjectRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/** A page at the end of sixteen tebibytes of nothing, on its way between nodes. */
class FarOutTest {
    private static final long FAR = (16L << 40) - (12 << 10);

    @TempDir Path root;

    private static byte[] page() {
        byte[] bytes = new byte[4096];
        new Random(9).nextBytes(bytes);
        return bytes;
    }

    /** Holes take no room at either end. */
    private static ChainOutcome agreed(TestFarm farm, ObjectId id, boolean fill, String... chain)
            throws Exception {
        SyncObjectRequest.Builder request =
                SyncObjectRequest.newBuilder()
                        .setChain(
                                farm.header(
                                                id,
                                                chain[0],
                                                Arrays.copyOfRange(chain, 1, chain.length))
                                        .setCreate(fill))
                        .setDurable(true)
                        .setDigest(true);
        if (fill) {
            request.setFill(SyncObjectRequest.Fill.getDefaultInstance());
        }
        ChainOutcome outcome =
                get(farm.peer(chain[0]).callPlain(StorageMethods.SYNC, request.build(), PATIENCE));
        assertThat(outcome.getFailuresList()).isEmpty();
        assertThat(outcome.getShipFrom()).isZero(); // in one call
        assertThat(outcome.getSize()).isEqualTo(FAR + 4096);
        assertThat(outcome.getAllocated()).isLessThan(1 << 20);
        return outcome;
    }

    @Test
    void aPageFarOutIsWrittenShippedFilledCopiedAndVerified() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(81, 1);
            byte[] page = page();
            assertThat(farm.write(id, FAR, page, "n1", "n2").getFailuresList()).isEmpty();
            ByteString digest = agreed(farm, id, false, "n1", "n2").getDigest();
            assertThat(agreed(farm, id, false, "n2").getDigest()).isEqualTo(digest);

            agreed(farm, id, true, "n1", "n3"); // joins the chain
            assertThat(farm.read("n3", id, FAR, 4096)).isEqualTo(page);
            assertThat(agreed(farm, id, false, "n3").getDigest()).isEqualTo(digest);

            ObjectId alone = object(82, 1);
            farm.write(alone, FAR, page, "n1");
            ReplicateObjectReply copied =
                    get(
                            farm.orders("n2")
                                    .callPlain(
                                            StorageMethods.REPLICATE_OBJECT,
                                            ReplicateObjectRequest.newBuilder()
                                                    .setObject(alone)
                                                    .setSize(4096) // what it takes
                                                    .addAllSources(
                                                            farm.metaserver.members(
                                                                    alone, Rights.READ, 0, "n1"))
                                                    .build(),
                                            PATIENCE));
            assertThat(copied.getDigest()).isEqualTo(digest);
            agreed(farm, alone, false, "n2");

            for (String node : new String[] {"n1", "n2", "n3"}) {
                VerifyObjectReply verified =
                        get(
                                farm.orders(node)
                                        .callPlain(
                                                StorageMethods.VERIFY_OBJECT,
                                                VerifyObjectRequest.newBuilder()
                                                        .setObject(id)
                                                        .build(),
                                                PATIENCE));
                assertThat(verified.getBadBlocksList()).isEmpty();
                assertThat(verified.getDigest()).isEqualTo(digest);
            }

            ObjectId range = object(83, 1);
            CopyRangeRequest request =
                    CopyRangeRequest.newBuilder()
                            .setChain(farm.header(range, "n1").setCreate(true))
                            .setLength(FAR + 4096)
                            .setSource(id)
                            .addAllSourceReplicas(
                                    farm.metaserver.members(
                                            id, Rights.READ, binding(farm.alice), "n3"))
                            .build();
            get(farm.peer("n1").callPlain(StorageMethods.COPY_RANGE, request, PATIENCE));
            assertThat(agreed(farm, range, false, "n1").getDigest()).isEqualTo(digest);
        }
    }

    @Test
    void aPageThatSomebodyWroteFarOutIntoThePlainFileComesToAllOfTheChain() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(84, 1);
            farm.write(id, 0, new byte[] {1}, "n1", "n2");
            OpenLocalReply granted =
                    get(
                            farm.peer("n1")
                                    .callPlain(
                                            StorageMethods.OPEN_LOCAL,
                                            OpenLocalRequest.newBuilder()
                                                    .setObject(id)
                                                    .setWrite(true)
                                                    .setTicket(
                                                            farm.metaserver.ticket(
                                                                    "n1",
                                                                    id,
                                                                    Rights.READ_WRITE,
                                                                    binding(farm.alice)))
                                                    .build(),
                                            PATIENCE));
            try (RandomAccessFile file = new RandomAccessFile(granted.getPath(), "rw")) {
                file.seek(FAR);
                file.write(page());
            }
            ByteString digest = agreed(farm, id, false, "n1", "n2").getDigest();
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.CLOSE_LOCAL,
                                    CloseLocalRequest.newBuilder()
                                            .addLeases(granted.getLease())
                                            .build(),
                                    PATIENCE));
            assertThat(farm.read("n2", id, FAR, 4096)).isEqualTo(page());
            farm.stop("n1");
            farm.start("n1", "");
            assertThat(agreed(farm, id, false, "n1").getDigest()).isEqualTo(digest);
            assertThat(agreed(farm, id, false, "n2").getDigest()).isEqualTo(digest);
        }
    }
}
