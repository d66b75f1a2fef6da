package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.binding;
import static org.gridfarm.storagenode.TestFarm.failure;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.StageReply;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Files made ahead, which replicas are made of. */
class StagedFilesTest {
    @TempDir Path root;

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(16).nextBytes(bytes);
        return bytes;
    }

    private static StageReply stage(TestFarm farm, int count) throws Exception {
        StageRequest request = StageRequest.newBuilder().setCount(count).build();
        return get(farm.peer("n1").callPlain(StorageMethods.STAGE, request, PATIENCE));
    }

    @Test
    void aStagedFileStandsForItsObjectAndBecomesIt() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(16, 1);
            StagedFile staged = stage(farm, 2).getFiles(0);
            byte[] bytes = random(300_000);
            ByteString ticket =
                    farm.metaserver.ticket("n1", id, Rights.READ_WRITE, binding(farm.alice), "n2");
            try (RandomAccessFile file = new RandomAccessFile(staged.getPath(), "rw")) {
                file.write(bytes, 0, 200_000);
                StatObjectRequest stat =
                        StatObjectRequest.newBuilder()
                                .setObject(id)
                                .setTicket(ticket)
                                .setStaged(StagedName.shown(staged.getNumber()))
                                .build();
                assertThat(
                                get(farm.peer("n1").callPlain(StorageMethods.STAT, stat, PATIENCE))
                                        .getSize())
                        .isEqualTo(200_000);
                OpenLocalRequest claim =
                        OpenLocalRequest.newBuilder()
                                .setObject(id)
                                .setTicket(ticket)
                                .setWrite(true)
                                .setStaged(staged.getNumber())
                                .build();
                OpenLocalReply granted =
                        get(farm.peer("n1").callPlain(StorageMethods.OPEN_LOCAL, claim, PATIENCE));
                assertThat(granted.getSize()).isEqualTo(200_000);
                file.write(bytes, 200_000, 100_000); // the writer notices nothing
                assertThat(
                                get(farm.peer("n1").callPlain(StorageMethods.STAT, stat, PATIENCE))
                                        .getSize())
                        .isEqualTo(bytes.length);
                // An answer that was lost is asked for again.
                assertThat(
                                get(farm.peer("n1")
                                                .callPlain(
                                                        StorageMethods.OPEN_LOCAL, claim, PATIENCE))
                                        .getPath())
                        .isEqualTo(granted.getPath());
            }
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.SYNC,
                                    SyncObjectRequest.newBuilder()
                                            .setChain(farm.header(id, "n1", "n2").setCreate(true))
                                            .setDurable(true)
                                            .build(),
                                    PATIENCE));
            assertThat(farm.read("n1", id, 0, 400_000)).isEqualTo(bytes);
            assertThat(farm.read("n2", id, 0, 400_000)).isEqualTo(bytes);
        }
    }

    @Test
    void aSyncClaimsTheFileAlong() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(17, 1);
            StagedFile staged = stage(farm, 1).getFiles(0);
            byte[] bytes = random(8_000);
            try (RandomAccessFile file = new RandomAccessFile(staged.getPath(), "rw")) {
                file.write(bytes, 0, 5_000);
                ChainOutcome outcome =
                        get(
                                farm.peer("n1")
                                        .callPlain(
                                                StorageMethods.SYNC,
                                                claiming(farm, id, staged, "n2"),
                                                PATIENCE));
                assertThat(outcome.getFailuresList()).isEmpty();
                assertThat(outcome.getSize()).isEqualTo(5_000);
                assertThat(outcome.getLocal().getSize()).isEqualTo(5_000);
                assertThat(Path.of(outcome.getLocal().getPath())).exists();
                assertThat(Path.of(staged.getPath())).doesNotExist();
                assertThat(farm.read("n2", id, 0, 10_000)).isEqualTo(Arrays.copyOf(bytes, 5_000));

                file.write(bytes, 5_000, 3_000); // it goes on until it gives the grant back
                get(
                        farm.peer("n1")
                                .callPlain(
                                        StorageMethods.CLOSE_LOCAL,
                                        CloseLocalRequest.newBuilder()
                                                .addLeases(outcome.getLocal().getLease())
                                                .build(),
                                        PATIENCE));
                assertThat(farm.read("n1", id, 0, 10_000)).isEqualTo(bytes);
            }
        }
    }

    /** The others of the chain have sums that fit from then on: damage does not pass. */
    @Test
    void aSyncThatClaimsTheFileMakesALocalWriterOnlyAtTheHead() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(21, 1);
            StagedFile staged = stage(farm, 1).getFiles(0);
            Files.write(Path.of(staged.getPath()), random(8_000));
            SyncObjectRequest claiming = claiming(farm, id, staged, "n2");
            get(farm.peer("n1").callPlain(StorageMethods.SYNC, claiming, PATIENCE));
            Files.write(farm.file("n2", id), new byte[8_000]);
            assertThatThrownBy(() -> farm.read("n2", id, 0, 8_000))
                    .hasMessageContaining("checksum");
        }
    }

    /** A short one in one turn of the object, a long one in several. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5_000, 65_536, (3 << 20) + 7})
    void aSyncClaimsAFileThatStaysOnOneNode(int length) throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(19, 1);
            StagedFile staged = stage(farm, 1).getFiles(0);
            byte[] bytes = random(length);
            Files.write(Path.of(staged.getPath()), bytes);
            ChainOutcome outcome = claimed(farm, id, staged, bytes);
            assertThat(Path.of(outcome.getLocal().getPath())).hasBinaryContent(bytes);
        }
    }

    /** All that the others need leaves in one turn, or after several. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5_000, 65_536, (3 << 20) + 7})
    void aSyncThatClaimsAFileBringsItToTheOthers(int length) throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(19, 1);
            StagedFile staged = stage(farm, 1).getFiles(0);
            byte[] bytes = random(length);
            Files.write(Path.of(staged.getPath()), bytes);
            claimed(farm, id, staged, bytes, "n2", "n3");
            for (String node : List.of("n2", "n3")) {
                assertThat(farm.read(node, id, 0, length + 1)).isEqualTo(bytes);
            }
        }
    }

    /** The answer to the first was lost; while anybody may write the sums are not believed. */
    @Test
    void aSecondClaimTakesThePlaceOfTheFirst() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(20, 1);
            StagedFile staged = stage(farm, 1).getFiles(0);
            Files.write(Path.of(staged.getPath()), random(5_000));
            SyncObjectRequest claiming = claiming(farm, id, staged);
            get(farm.peer("n1").callPlain(StorageMethods.SYNC, claiming, PATIENCE));
            ChainOutcome second =
                    get(farm.peer("n1").callPlain(StorageMethods.SYNC, claiming, PATIENCE));
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.CLOSE_LOCAL,
                                    CloseLocalRequest.newBuilder()
                                            .addLeases(second.getLocal().getLease())
                                            .build(),
                                    PATIENCE));
            Files.write(Path.of(second.getLocal().getPath()), new byte[5_000]); // damage
            assertThatThrownBy(() -> farm.read("n1", id, 0, 5_000))
                    .hasMessageContaining("checksum");
        }
    }

    /** Whoever may read the object reads what it is to be made of, before and after that. */
    @Test
    void aTicketThatNamesAStagedFileReadsThatUntilThereIsAReplica() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(24, 1);
            StagedFile staged = stage(farm, 2).getFiles(0);
            byte[] bytes = random(70_000);
            Files.write(Path.of(staged.getPath()), bytes);
            long shown = StagedName.shown(staged.getNumber());
            ByteString names =
                    farm.metaserver.ticketToReadStaged("n1", id, binding(farm.alice), shown);
            ByteString other = farm.metaserver.ticket("n1", id, Rights.READ, binding(farm.alice));
            assertThat(farm.read("n1", id, names, 50_000, 100_000, true))
                    .isEqualTo(Arrays.copyOfRange(bytes, 50_000, bytes.length));
            assertThat(farm.read("n1", id, names, 70_000, 10, true)).isEmpty();
            assertThat(farm.read("n1", id, other, 0, 100_000, true)).isEmpty();
            get(
                    farm.peer("n1")
                            .callPlain(StorageMethods.SYNC, claiming(farm, id, staged), PATIENCE));
            assertThat(farm.read("n1", id, names, 0, 100_000, false)).isEqualTo(bytes);
        }
    }

    /** Its client is gone; the metaserver alone knows what the file was to be. */
    @Test
    void aSealTakesInWhatNobodyClaimed() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(22, 1);
            StagedFile staged = stage(farm, 2).getFiles(0);
            byte[] bytes = random(70_000);
            Files.write(Path.of(staged.getPath()), bytes);
            SealObjectRequest seal =
                    SealObjectRequest.newBuilder()
                            .setObject(id)
                            .setGeneration(2)
                            .setMayBeAbsent(true)
                            .setStaged(StagedName.shown(staged.getNumber()))
                            .build();
            for (int again = 0; again < 2; again++) {
                SealObjectReply sealed =
                        get(
                                farm.orders("n1")
                                        .callPlain(StorageMethods.SEAL_OBJECT, seal, PATIENCE));
                assertThat(sealed.getPresent()).isTrue();
                assertThat(sealed.getSize()).isEqualTo(bytes.length);
            }
            assertThat(farm.read("n1", object(22, 2), 0, 100_000)).isEqualTo(bytes);
            assertThat(
                            failure(
                                            farm.peer("n1")
                                                    .callPlain(
                                                            StorageMethods.SYNC,
                                                            claiming(farm, id, staged),
                                                            PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            SealObjectRequest unknown =
                    seal.toBuilder().setObject(object(23, 1)).setStaged(99).build();
            assertThat(
                            get(farm.orders("n1")
                                            .callPlain(
                                                    StorageMethods.SEAL_OBJECT, unknown, PATIENCE))
                                    .getPresent())
                    .isFalse();
        }
    }

    /**
     * An earlier opening wrote nothing and told of nothing, but somebody else had looked into the
     * file, so that a replica was made: the generation is still the same.
     */
    @Test
    void anEmptyReplicaYieldsToTheFileThatTheNextOpeningWrites() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(25, 1);
            StageReply both = stage(farm, 2);
            long former = claimed(farm, id, both.getFiles(0), new byte[0]).getLocal().getLease();
            StagedFile staged = both.getFiles(1);
            byte[] bytes = random(9_000);
            try (RandomAccessFile file = new RandomAccessFile(staged.getPath(), "rw")) {
                file.write(bytes, 0, 5_000);
                long shown = StagedName.shown(staged.getNumber());
                assertThat(sizeShown(farm, id, shown)).isEqualTo(5_000);
                ByteString names =
                        farm.metaserver.ticketToReadStaged("n1", id, binding(farm.alice), shown);
                assertThat(farm.read("n1", id, names, 0, 10_000, false))
                        .isEqualTo(Arrays.copyOf(bytes, 5_000));
                claimed(farm, id, staged, Arrays.copyOf(bytes, 5_000));
                assertThat(sizeShown(farm, id, shown)).isEqualTo(5_000);
                get(
                        farm.peer("n1")
                                .callPlain(
                                        StorageMethods.CLOSE_LOCAL,
                                        CloseLocalRequest.newBuilder().addLeases(former).build(),
                                        PATIENCE));
                file.write(bytes, 5_000, 4_000); // its grant is not the one that has ended
                assertThat(farm.read("n1", id, 0, 10_000)).isEqualTo(bytes);
            }
        }
    }

    /** The same where that writer died before its node heard of it. */
    @Test
    void aSealTakesInTheStagedFileBeforeAnEmptyReplica() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(26, 1);
            StageReply both = stage(farm, 2);
            claimed(farm, id, both.getFiles(0), new byte[0]);
            byte[] bytes = random(5_000);
            Files.write(Path.of(both.getFiles(1).getPath()), bytes);
            SealObjectRequest seal =
                    SealObjectRequest.newBuilder()
                            .setObject(id)
                            .setGeneration(2)
                            .setStaged(StagedName.shown(both.getFiles(1).getNumber()))
                            .build();
            get(farm.orders("n1").callPlain(StorageMethods.SEAL_OBJECT, seal, PATIENCE));
            assertThat(farm.read("n1", object(26, 2), 0, 10_000)).isEqualTo(bytes);
        }
    }

    /** What has content is never taken for left over. */
    @Test
    void aReplicaWithContentYieldsToNothing() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(27, 1);
            StageReply both = stage(farm, 2);
            byte[] bytes = random(5_000);
            Files.write(Path.of(both.getFiles(0).getPath()), bytes);
            claimed(farm, id, both.getFiles(0), bytes);
            claimed(farm, id, both.getFiles(1), bytes);
            assertThat(sizeShown(farm, id, StagedName.shown(both.getFiles(1).getNumber())))
                    .isEqualTo(5_000);
            assertThat(farm.read("n1", id, 0, 10_000)).isEqualTo(bytes);
        }
    }

    private static long sizeShown(TestFarm farm, ObjectId id, long shown) throws Exception {
        StatObjectRequest stat =
                StatObjectRequest.newBuilder()
                        .setObject(id)
                        .setTicket(
                                farm.metaserver.ticket("n1", id, Rights.STAT, binding(farm.alice)))
                        .setStaged(shown)
                        .build();
        return get(farm.peer("n1").callPlain(StorageMethods.STAT, stat, PATIENCE)).getSize();
    }

    @Test
    void aSyncOfAStagedFileThatIsNotThereSaysSo() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            StagedFile none = StagedFile.newBuilder().setNumber(99).build();
            assertThat(
                            failure(
                                            farm.peer("n1")
                                                    .callPlain(
                                                            StorageMethods.SYNC,
                                                            claiming(farm, object(18, 1), none),
                                                            PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.OBJECT_ABSENT);
        }
    }

    /** By one call, which tells size and digest. */
    private static ChainOutcome claimed(
            TestFarm farm, ObjectId id, StagedFile staged, byte[] bytes, String... rest)
            throws Exception {
        ChainOutcome outcome =
                get(
                        farm.peer("n1")
                                .callPlain(
                                        StorageMethods.SYNC,
                                        claiming(farm, id, staged, rest),
                                        PATIENCE));
        assertThat(outcome.getShipFrom()).isZero();
        assertThat(outcome.getFailuresList()).isEmpty();
        assertThat(outcome.getSize()).isEqualTo(bytes.length);
        assertThat(outcome.getDigest().toByteArray())
                .isEqualTo(ContentDigest.of(new ByteBuffer[] {ByteBuffer.wrap(bytes)}));
        return outcome;
    }

    private static SyncObjectRequest claiming(
            TestFarm farm, ObjectId id, StagedFile staged, String... rest) throws Exception {
        return SyncObjectRequest.newBuilder()
                .setChain(farm.header(id, "n1", rest).setCreate(true))
                .setDigest(true)
                .setShip(SyncObjectRequest.Ship.newBuilder().setStaged(staged.getNumber()))
                .build();
    }

    @Test
    void aStagedFileOutlivesTheNodesProcessAndGoesWhenItIsNotWanted() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            StageReply staged = stage(farm, 2);
            farm.stop("n1");
            farm.start("n1", "");
            assertThat(Path.of(staged.getFiles(0).getPath())).exists();
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.STAGE,
                                    StageRequest.newBuilder()
                                            .addDiscard(staged.getFiles(0).getNumber())
                                            .build(),
                                    PATIENCE));
            assertThat(Path.of(staged.getFiles(0).getPath())).doesNotExist();
            assertThat(Path.of(staged.getFiles(1).getPath())).exists();
        }
    }

    /** Whoever is still told that the former number stands for his file must not find the next. */
    @Test
    void whatNobodyHasWrittenIntoComesBackUnderAnotherNumber() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            StageReply staged = stage(farm, 2);
            StagedFile empty = staged.getFiles(0);
            StagedFile written = staged.getFiles(1);
            Files.writeString(Path.of(written.getPath()), "bytes");
            StageRequest request =
                    StageRequest.newBuilder()
                            .addUnused(empty.getNumber())
                            .addUnused(written.getNumber())
                            .addUnused(4711)
                            .build();
            StageReply again =
                    get(farm.peer("n1").callPlain(StorageMethods.STAGE, request, PATIENCE));
            assertThat(again.getFilesList()).hasSize(1);
            StagedFile other = again.getFiles(0);
            assertThat(other.getNumber()).isNotEqualTo(empty.getNumber());
            assertThat(Path.of(other.getPath())).exists();
            assertThat(Path.of(empty.getPath())).doesNotExist();
            assertThat(Path.of(written.getPath())).hasContent("bytes");
        }
    }

    /** An inode that was freed a moment ago is not looked for again and again in one place. */
    @Test
    void filesMadeAheadTakeTurnsInTheirDirectories() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            Map<Path, Integer> made = new HashMap<>();
            StageRequest.Builder request = StageRequest.newBuilder().setCount(64);
            for (int i = 0; i < 1_600; i += 64) {
                StageReply reply =
                        get(
                                farm.peer("n1")
                                        .callPlain(
                                                StorageMethods.STAGE, request.build(), PATIENCE));
                request.clearDiscard(); // one client has not so many at once
                for (StagedFile file : reply.getFilesList()) {
                    made.merge(directory(file), 1, Integer::sum);
                    assertThat(Path.of(file.getPath())).exists();
                    request.addDiscard(file.getNumber());
                }
            }
            assertThat(made.keySet())
                    .hasSizeBetween(2, 3)
                    .allMatch(directory -> directory.resolveSibling("..").endsWith("staged/.."));
            assertThat(made.values()).allMatch(files -> files <= 1_024);
        }
    }

    @Test
    void moreFilesThanAnybodyNeedsAreRefusedUntilSomeAreGone() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            StagedFile first = stage(farm, 64).getFiles(0);
            Path others = Files.createDirectory(directory(first).resolveSibling("others"));
            for (int i = 64; i < 8_192; i++) {
                Files.createFile(others.resolve("f" + i));
            }
            farm.stop("n1"); // that they are there is counted anew
            farm.start("n1", "");
            StageRequest one = StageRequest.newBuilder().setCount(1).build();
            assertThat(
                            failure(farm.peer("n1").callPlain(StorageMethods.STAGE, one, PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.OVERLOADED);
            StageRequest another = one.toBuilder().addDiscard(first.getNumber()).build();
            get(farm.peer("n1").callPlain(StorageMethods.STAGE, another, PATIENCE));
        }
    }

    private static Path directory(StagedFile file) {
        return Objects.requireNonNull(Path.of(file.getPath()).getParent());
    }
}
