package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.binding;
import static org.gridfarm.storagenode.TestFarm.failure;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.DeleteObjectsRequest;
import org.gridfarm.protocol.wire.FindObjectsReply;
import org.gridfarm.protocol.wire.FindObjectsRequest;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.NodeControlCommand;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.VerifyObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Three real nodes over TLS. */
class StorageNodeTest {
    @TempDir Path root;

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatIsWrittenAtTheHeadIsReadFromEveryMember() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(4711, 1);
            byte[] first = random(1, 1_000_000);
            byte[] second = random(2, 333_333);
            ChainOutcome outcome = farm.write(id, 0, first, "n1", "n2", "n3");
            assertThat(outcome.getFailuresList()).isEmpty();
            assertThat(outcome.getSize()).isEqualTo(first.length);
            ChainOutcome appended =
                    get(
                            farm.send(
                                    farm.writing(id, "n1", "n2", "n3").setAppend(true),
                                    second,
                                    "n1"));
            assertThat(appended.getOffset()).isEqualTo(first.length);
            ChainOutcome synced =
                    get(
                            farm.peer("n1")
                                    .callPlain(
                                            StorageMethods.SYNC,
                                            farm.sync(id, true, "n1", "n2", "n3"),
                                            PATIENCE));
            assertThat(synced.getFailuresList()).isEmpty();
            byte[] all = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, all, first.length, second.length);
            for (String node : List.of("n1", "n2", "n3")) {
                assertThat(farm.read(node, id, 0, 2_000_000)).as(node).isEqualTo(all);
                assertThat(farm.read(node, id, 999_990, 20))
                        .as(node)
                        .isEqualTo(Arrays.copyOfRange(all, 999_990, 1_000_010));
                ChainOutcome alone =
                        get(
                                farm.peer(node)
                                        .callPlain(
                                                StorageMethods.SYNC,
                                                farm.sync(id, false, node),
                                                PATIENCE));
                assertThat(alone.getDigest()).as(node).isEqualTo(synced.getDigest());
            }
        }
    }

    @Test
    void aMemberThatIsGoneIsNamedAndTheOthersGoOn() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(5, 1);
            byte[] bytes = random(3, 4 << 20);
            List<CompletableFuture<ChainOutcome>> writes = new ArrayList<>();
            int slice = 64 << 10;
            for (int i = 0; i < 64; i++) {
                writes.add(
                        farm.send(
                                farm.writing(id, "n1", "n2", "n3").setOffset((long) i * slice),
                                Arrays.copyOfRange(bytes, i * slice, (i + 1) * slice),
                                "n1"));
                if (i == 20) {
                    get(writes.get(5));
                    farm.stop("n2");
                }
            }
            boolean named = false;
            for (CompletableFuture<ChainOutcome> write : writes) {
                ChainOutcome outcome = get(write);
                assertThat(outcome.getFailuresList())
                        .allMatch(failure -> failure.getNode().equals("n2"));
                named |= outcome.getFailuresCount() == 1;
            }
            assertThat(named).isTrue();
            assertThat(farm.read("n1", id, 0, bytes.length)).isEqualTo(bytes);
            assertThat(farm.read("n3", id, 0, bytes.length)).isEqualTo(bytes);
        }
    }

    @Test
    void appendsOfManyClientsLandOneBehindTheOther() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(6, 1);
            List<CompletableFuture<ChainOutcome>> writes = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] line = new byte[100];
                Arrays.fill(line, (byte) i);
                writes.add(farm.send(farm.writing(id, "n1", "n2").setAppend(true), line, "n1"));
            }
            boolean[] taken = new boolean[200];
            for (int i = 0; i < 200; i++) {
                long offset = get(writes.get(i)).getOffset();
                assertThat(offset % 100).isZero();
                assertThat(taken[(int) (offset / 100)]).isFalse();
                taken[(int) (offset / 100)] = true;
                assertThat(farm.read("n2", id, offset, 1)[0]).isEqualTo((byte) i);
            }
        }
    }

    @Test
    void nobodyReadsOrWritesWithoutTheRightTicket() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(7, 1);
            farm.write(id, 0, random(4, 1000), "n1");
            Peer bob = farm.dial(farm.authority.issueUser("/O=Test/CN=bob", Instant.now()), "n1");
            StatObjectRequest stolen =
                    StatObjectRequest.newBuilder()
                            .setObject(id)
                            .setTicket(
                                    farm.metaserver.ticket(
                                            "n1", id, Rights.READ, binding(farm.alice)))
                            .build();
            assertThat(
                            get(farm.peer("n1").callPlain(StorageMethods.STAT, stolen, PATIENCE))
                                    .getSize())
                    .isEqualTo(1000);
            assertThat(failure(bob.callPlain(StorageMethods.STAT, stolen, PATIENCE)).kind())
                    .isEqualTo(ErrorKind.TICKET_REFUSED);
            StatObjectRequest other =
                    stolen.toBuilder()
                            .setTicket(
                                    farm.metaserver.ticket(
                                            "n1", object(8, 1), Rights.READ, binding(farm.alice)))
                            .build();
            assertThat(
                            failure(farm.peer("n1").callPlain(StorageMethods.STAT, other, PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.TICKET_REFUSED);
            WriteObjectRequest.Builder unentitled = farm.writing(id, "n1");
            unentitled
                    .getChainBuilder()
                    .setTicket(farm.metaserver.ticket("n1", id, Rights.READ, binding(farm.alice)));
            assertThat(failure(farm.send(unentitled, new byte[10], "n1")).kind())
                    .isEqualTo(ErrorKind.TICKET_REFUSED);
            // A mere user gives no orders and runs no programs.
            assertThat(
                            failure(
                                            farm.peer("n1")
                                                    .callPlain(
                                                            StorageMethods.DELETE_OBJECTS,
                                                            DeleteObjectsRequest.newBuilder()
                                                                    .addObjects(id)
                                                                    .build(),
                                                            PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.UNSUPPORTED);
        }
    }

    @Test
    void aNodeThatLosesTouchServesNothingUntilItIsHeardAgain() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(9, 1);
            farm.write(id, 0, random(5, 1000), "n1");
            farm.metaserver.silent = true;
            await().atMost(PATIENCE).until(() -> !farm.node("n1").isReady());
            assertThatThrownBy(() -> farm.read("n1", id, 0, 10))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
            farm.metaserver.silent = false;
            await().atMost(PATIENCE).until(() -> farm.node("n1").isReady());
            assertThat(farm.read("n1", id, 0, 10)).hasSize(10);
        }
    }

    @Test
    void aBadBlockIsNeverServedIsReportedAndGoesToQuarantine() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(10, 1);
            byte[] bytes = random(6, 300_000);
            farm.write(id, 0, bytes, "n1", "n2");
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.SYNC,
                                    farm.sync(id, false, "n1", "n2"),
                                    PATIENCE));
            try (RandomAccessFile file = new RandomAccessFile(farm.file("n1", id).toFile(), "rw")) {
                file.seek(200_000);
                int octet = file.read();
                file.seek(200_000);
                file.write(octet ^ 8);
            }
            assertThat(farm.read("n1", id, 0, 1000)).isEqualTo(Arrays.copyOf(bytes, 1000));
            assertThatThrownBy(() -> farm.read("n1", id, 199_000, 100))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT));
            await().atMost(PATIENCE).until(() -> farm.metaserver.corrupt.contains(id));
            assertThat(farm.data("n1").resolve("quarantine").resolve("a.0.1")).exists();
            // And it is made again from the good one.
            ReplicateObjectReply copied =
                    get(
                            farm.orders("n1")
                                    .callPlain(
                                            StorageMethods.REPLICATE_OBJECT,
                                            ReplicateObjectRequest.newBuilder()
                                                    .setObject(id)
                                                    .addAllSources(
                                                            farm.metaserver.members(
                                                                    id, Rights.READ, 0, "n3", "n2"))
                                                    .build(),
                                            PATIENCE));
            assertThat(copied.getSize()).isEqualTo(bytes.length);
            assertThat(farm.read("n1", id, 0, bytes.length)).isEqualTo(bytes);
        }
    }

    @Test
    void copiesKeepTheirHoles() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(11, 1);
            byte[] bytes = random(7, 100_000);
            farm.write(id, 0, bytes, "n1");
            farm.write(id, 50_000_000, bytes, "n1");
            get(
                    farm.orders("n2")
                            .callPlain(
                                    StorageMethods.REPLICATE_OBJECT,
                                    ReplicateObjectRequest.newBuilder()
                                            .setObject(id)
                                            .addAllSources(
                                                    farm.metaserver.members(
                                                            id, Rights.READ, 0, "n1"))
                                            .build(),
                                    PATIENCE));
            assertThat(farm.read("n2", id, 50_000_000, bytes.length)).isEqualTo(bytes);
            ChainOutcome outcome = farm.stat(id, "n2");
            assertThat(outcome.getSize()).isEqualTo(50_100_000);
            assertThat(outcome.getAllocated()).isLessThan(4_000_000);
            // That the copy was made is no change of the content.
            assertThat(outcome.getMtime()).isLessThan(farm.stat(id, "n1").getMtime());
        }
    }

    @Test
    void aRangeIsCopiedBetweenTheNodes() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId source = object(12, 1);
            ObjectId target = object(13, 1);
            byte[] bytes = random(8, 3_000_000);
            farm.write(source, 0, bytes, "n3");
            farm.write(target, 0, new byte[100], "n1", "n2");
            CopyRangeRequest request =
                    CopyRangeRequest.newBuilder()
                            .setChain(farm.header(target, "n1", "n2"))
                            .setOffset(50)
                            .setLength(2_500_000)
                            .setSource(source)
                            .setSourceOffset(123)
                            .addAllSourceReplicas(
                                    farm.metaserver.members(
                                            source, Rights.READ, binding(farm.alice), "n3"))
                            .build();
            ChainOutcome outcome =
                    get(farm.peer("n1").callPlain(StorageMethods.COPY_RANGE, request, PATIENCE));
            assertThat(outcome.getSize()).isEqualTo(2_500_050);
            assertThat(outcome.getMtime()).isEqualTo(farm.stat(target, "n1").getMtime());
            assertThat(farm.read("n2", target, 50, 2_500_000))
                    .isEqualTo(Arrays.copyOfRange(bytes, 123, 2_500_123));
        }
    }

    @Test
    void aLocalWriterIsSeenAndShippedAtTheSync() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(14, 1);
            byte[] bytes = random(9, 700_000);
            farm.write(id, 0, bytes, "n1", "n2");
            OpenLocalRequest open =
                    OpenLocalRequest.newBuilder()
                            .setObject(id)
                            .setWrite(true)
                            .setTicket(
                                    farm.metaserver.ticket(
                                            "n1", id, Rights.READ_WRITE, binding(farm.alice)))
                            .build();
            OpenLocalReply local =
                    get(farm.peer("n1").callPlain(StorageMethods.OPEN_LOCAL, open, PATIENCE));
            byte[] patch = random(10, 5000);
            try (RandomAccessFile file = new RandomAccessFile(local.getPath(), "rw")) {
                file.seek(300_000);
                file.write(patch);
                file.seek(900_000);
                file.write(patch);
            }
            byte[] expected = Arrays.copyOf(bytes, 905_000);
            System.arraycopy(patch, 0, expected, 300_000, patch.length);
            System.arraycopy(patch, 0, expected, 900_000, patch.length);
            assertThat(farm.read("n1", id, 0, 1_000_000)).isEqualTo(expected);
            ChainOutcome synced =
                    get(
                            farm.peer("n1")
                                    .callPlain(
                                            StorageMethods.SYNC,
                                            farm.sync(id, true, "n1", "n2"),
                                            PATIENCE));
            assertThat(synced.getSize()).isEqualTo(905_000);
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.CLOSE_LOCAL,
                                    CloseLocalRequest.newBuilder()
                                            .addLeases(local.getLease())
                                            .build(),
                                    PATIENCE));
            assertThat(farm.read("n1", id, 0, 1_000_000)).isEqualTo(expected);
            assertThat(farm.read("n2", id, 0, 1_000_000)).isEqualTo(expected);
            ChainOutcome second =
                    get(
                            farm.peer("n2")
                                    .callPlain(
                                            StorageMethods.SYNC,
                                            farm.sync(id, false, "n2"),
                                            PATIENCE));
            assertThat(second.getDigest()).isEqualTo(synced.getDigest());
            OpenLocalReply reading =
                    get(
                            farm.peer("n1")
                                    .callPlain(
                                            StorageMethods.OPEN_LOCAL,
                                            open.toBuilder().setWrite(false).build(),
                                            PATIENCE));
            assertThat(Files.readAllBytes(Path.of(reading.getPath()))).isEqualTo(expected);
        }
    }

    @Test
    void whatIsNotHereDoesNotTakeThePlaceOfWhatTheOthersHave() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(16, 1);
            byte[] bytes = random(12, 50_000);
            farm.write(id, 0, bytes, "n2");
            SyncObjectRequest bringing =
                    SyncObjectRequest.newBuilder()
                            .setChain(farm.header(id, "n1", "n2").setCreate(true))
                            .setDigest(true)
                            .setShip(SyncObjectRequest.Ship.newBuilder().setAll(true))
                            .build();
            assertThat(
                            failure(
                                            farm.peer("n1")
                                                    .callPlain(
                                                            StorageMethods.SYNC,
                                                            bringing,
                                                            PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.OBJECT_ABSENT);
            assertThat(farm.read("n2", id, 0, 100_000)).isEqualTo(bytes);
        }
    }

    @Test
    void aSealedGenerationCanNeitherBeWrittenNorMadeAnew() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(15, 1);
            byte[] bytes = random(11, 100_000);
            farm.write(id, 0, bytes, "n1");
            SealObjectRequest seal =
                    SealObjectRequest.newBuilder()
                            .setObject(id)
                            .setGeneration(2)
                            .setMayBeAbsent(true)
                            .build();
            Peer toNode = farm.orders("n1");
            SealObjectReply sealed =
                    get(toNode.callPlain(StorageMethods.SEAL_OBJECT, seal, PATIENCE));
            assertThat(sealed.getPresent()).isTrue();
            assertThat(sealed.getSize()).isEqualTo(bytes.length);
            assertThat(
                            get(toNode.callPlain(StorageMethods.SEAL_OBJECT, seal, PATIENCE))
                                    .getDigest())
                    .isEqualTo(sealed.getDigest());
            assertThat(failure(farm.send(farm.writing(id, "n1"), bytes, "n1")).kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            assertThat(farm.read("n1", object(15, 2), 0, 200_000)).isEqualTo(bytes);
            // The node forgets seals when it ends, but its directory remembers.
            farm.stop("n1");
            farm.start("n1", "");
            assertThat(failure(farm.send(farm.writing(id, "n1"), bytes, "n1")).kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            assertThat(farm.read("n1", object(15, 2), 0, 200_000)).isEqualTo(bytes);
        }
    }

    @Test
    void nobodyMakesAGenerationOnceALaterOneHasBegun() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            byte[] bytes = random(12, 1_000);
            farm.write(object(30, 1), 0, bytes, "n1"); // its directory has been looked at
            farm.write(object(31, 3), 0, bytes, "n1");
            assertThat(failure(farm.send(farm.writing(object(31, 2), "n1"), bytes, "n1")).kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            farm.write(object(31, 4), 0, bytes, "n1");
        }
    }

    @Test
    void aNodeReportsWhatItHoldsAndDoesAsItIsTold() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            for (int i = 0; i < 300; i++) {
                farm.write(object(1000 + i, 1), 0, random(i, 10 + i), "n1");
            }
            farm.stop("n1");
            farm.metaserver.reported.clear();
            farm.start("n1", "");
            await().atMost(PATIENCE).until(() -> farm.metaserver.reported.size() == 300);
            assertThat(farm.metaserver.reported).noneMatch(held -> held.getDirty());
            assertThat(farm.metaserver.reported)
                    .allMatch(held -> held.getSize() == 10 + held.getObject().getInode() - 1000);
            Peer toNode = farm.orders("n1");
            get(
                    toNode.callPlain(
                            StorageMethods.DELETE_OBJECTS,
                            DeleteObjectsRequest.newBuilder().addObjects(object(1000, 1)).build(),
                            PATIENCE));
            assertThat(
                            get(toNode.callPlain(
                                            StorageMethods.VERIFY_OBJECT,
                                            VerifyObjectRequest.newBuilder()
                                                    .setObject(object(1000, 1))
                                                    .build(),
                                            PATIENCE))
                                    .getPresent())
                    .isFalse();
            FindObjectsReply found =
                    get(
                            toNode.callPlain(
                                    StorageMethods.FIND_OBJECTS,
                                    FindObjectsRequest.newBuilder()
                                            .addObjects(object(1000, 1))
                                            .addObjects(object(1001, 7))
                                            .build(),
                                    PATIENCE));
            assertThat(found.getFoundList())
                    .containsExactly(
                            FoundObject.newBuilder()
                                    .setObject(object(1001, 1))
                                    .setSize(11)
                                    .build());
            String status =
                    get(toNode.callPlain(
                                    StorageMethods.NODE_COMMAND,
                                    NodeControlCommand.newBuilder()
                                            .setCommand("scrub-start")
                                            .putArguments("rate", "0")
                                            .build(),
                                    PATIENCE))
                            .getJson();
            assertThat(status).contains("\"rate\":0");
            NodeControlCommand ask =
                    NodeControlCommand.newBuilder().setCommand("scrub-status").build();
            await().atMost(PATIENCE)
                    .until(() ->
                            get(toNode.callPlain(StorageMethods.NODE_COMMAND, ask, PATIENCE))
                                    .getJson()
                                    .contains("\"running\":false,\"rate\":0,\"objects\":299"));
        }
    }
}
