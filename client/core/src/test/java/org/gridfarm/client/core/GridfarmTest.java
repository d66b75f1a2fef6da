package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.DataMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

@Timeout(60)
class GridfarmTest {
    private final MemoryFarm memory = new MemoryFarm(3);

    @AfterEach
    void close() {
        memory.close();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void write(Gridfarm farm, String path, byte[] bytes) throws Exception {
        try (OutputStream out = farm.write(FarmPath.of(path))) {
            out.write(bytes);
        }
    }

    private static byte[] read(Gridfarm farm, String path) throws Exception {
        try (InputStream in = farm.read(FarmPath.of(path))) {
            return in.readAllBytes();
        }
    }

    @Test
    void whatOneClientWroteAnotherReads() throws Exception {
        memory.metaserver.replicas = 2;
        byte[] bytes = random(5_000_001);
        write(memory.client(), "/f", bytes);
        assertThat(read(memory.client(), "/f")).isEqualTo(bytes);
        assertThat(memory.nodes.get(1).content(2, 0, 1)).isEqualTo(bytes);
    }

    /** It would wait for ever otherwise: the network threads have ended. */
    @Test
    void aClosedClientRefusesEveryCall() throws Exception {
        Gridfarm farm = memory.client();
        write(farm, "/f", random(10));
        farm.close();
        assertThatThrownBy(() -> farm.mkdir(FarmPath.of("/d")))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.CANCELLED));
        assertThatThrownBy(() -> farm.where(FarmPath.of("/f")))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.CANCELLED));
    }

    @Test
    void aStripedFileComesBackWhole() throws Exception {
        memory.metaserver.stripes = 3;
        byte[] bytes = random(1_000_003);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        assertThat(memory.nodes.get(2).content(2, 2, 1)).hasSizeBetween(300_000, 400_000);
    }

    @Test
    void aSmallFileIsMadeWrittenAndClosedInThreeRoundTrips() {
        Gridfarm farm = memory.client();
        farm.exists(FarmPath.of("/warm"));
        int before = memory.metaserver.allCalls();
        try (FarmFile file = farm.create(FarmPath.of("/small"), OpenFlags.WRITE, true)) {
            file.write(ByteBuffer.wrap(random(8_192)));
        }
        assertThat(memory.metaserver.allCalls() - before).isEqualTo(2);
        assertThat(memory.nodes.get(0).writes).hasValue(1);
    }

    @Test
    void aSecondStatAsksNobodyUntilAnotherClientChangesTheFile() {
        Gridfarm one = memory.client();
        Gridfarm other = memory.client();
        FarmPath path = FarmPath.of("/d/x");
        one.mkdir(FarmPath.of("/d"));
        one.mkdir(path);
        one.stat(path);
        one.stat(path);
        int before = memory.metaserver.allCalls();
        one.stat(path);
        assertThat(memory.metaserver.allCalls()).isEqualTo(before);
        other.chmod(path, 0700);
        assertThat(one.stat(path).mode()).isEqualTo(0700);
        other.delete(path);
        assertThat(one.exists(path)).isFalse();
        assertThat(one.exists(path)).isFalse();
        other.mkdir(path);
        assertThat(one.exists(path)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"STALE, 1", "NOT_FOUND, 1", "STALE, 20", "NOT_FOUND, 20"})
    void aNameIsNotAbsentWhileItsFileIsReplacedByAnother(ErrorKind gone, int times) {
        FarmPath path = FarmPath.of("/f");
        memory.metaserver.gone = gone;
        Gridfarm farm = memory.client();
        FarmFile written = memory.client().create(path, OpenFlags.WRITE, true);
        memory.metaserver.replaced.set(times);
        assertThat(farm.exists(path)).isTrue();
        assertThat(memory.metaserver.replaced).hasValueLessThan(times);
        assertThat(written.handle().inode()).isPositive();
    }

    @Test
    void aPathWhoseFileIsReplacedBeforeItIsOpenedLeadsToTheNewOne() {
        FarmPath path = FarmPath.of("/f");
        Gridfarm farm = memory.client();
        memory.client().create(path, OpenFlags.WRITE, true).close();
        memory.metaserver.replaced.set(3);
        farm.open(path, OpenFlags.READ).close();
        assertThat(memory.metaserver.replaced).hasValue(0);
    }

    @Test
    void oneSeesItsOwnChangesAtOnce() {
        Gridfarm farm = memory.client();
        for (int i = 0; i < 100; i++) {
            FarmPath path = FarmPath.of("/x" + i % 7);
            assertThat(farm.exists(path)).isFalse();
            farm.mkdir(path);
            assertThat(farm.exists(path)).isTrue();
            farm.chmod(path, 0711);
            assertThat(farm.stat(path).mode()).isEqualTo(0711);
            assertThat(farm.list(FarmPath.ROOT)).hasSize(1);
            farm.delete(path);
        }
    }

    @Test
    void aMutationWhoseAnswerIsLostIsDoneOnce() {
        Gridfarm farm = memory.client();
        memory.metaserver.losesNextMutateAnswer = true;
        farm.mkdir(FarmPath.of("/once"));
        assertThat(farm.exists(FarmPath.of("/once"))).isTrue();
        assertThat(memory.metaserver.calls("mutate")).isEqualTo(2);
    }

    /** The next session's leader does not know what the former one was answered. */
    @Test
    void aMutationWhoseAnswerIsLostIsNotDoneAgainInTheNextSession() {
        Gridfarm farm = memory.client();
        memory.metaserver.losesNextMutateAnswer = true;
        memory.metaserver.endsSessionsThen = true;
        assertThatThrownBy(() -> farm.mkdir(FarmPath.of("/once")))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.SESSION_ENDED));
        assertThat(memory.metaserver.calls("mutate")).isEqualTo(1);
        farm.mkdir(FarmPath.of("/next"));
    }

    /** Nor is what the process before may have done in the session that is over. */
    @Test
    void whatAFormerProcessAskedForIsNotDoneAgainInTheNextSession() {
        memory.metaserver.graceIsOver = true;
        Inheritance former =
                new Inheritance() {
                    private final AtomicLong again = new AtomicLong(3);

                    @Override
                    public long session() {
                        return 77;
                    }

                    @Override
                    public long predecessors() {
                        return 1;
                    }

                    @Override
                    public long lastSequence() {
                        return 5;
                    }

                    @Override
                    public long sequence(long fresh) {
                        long its = again.getAndSet(0);
                        return its == 0 ? fresh : its;
                    }
                };
        Gridfarm farm = memory.client(former, OwnDecisions.NONE);
        farm.resume();
        assertThat(farm.list(FarmPath.ROOT)).isEmpty(); // it has a session of its own
        assertThatThrownBy(() -> farm.mkdir(FarmPath.of("/once")))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.SESSION_ENDED));
        farm.mkdir(FarmPath.of("/next"));
        assertThat(farm.list(FarmPath.ROOT)).hasSize(1);
    }

    @Test
    void aLeaderThatDoesNotAnswerARenewalHasNotEndedTheSession() {
        Gridfarm farm = memory.client();
        try (FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true)) {
            file.write(ByteBuffer.wrap(random(1000)));
            memory.metaserver.renewalsToLose.set(2); // the regular one and the one of coming back
            memory.metaserver.losesNextMutateAnswer = true;
            farm.mkdir(FarmPath.of("/d"));
            assertThat(memory.metaserver.renewalsToLose).hasValueLessThan(2);
            file.sync();
        }
    }

    @Test
    void writingGoesOnWhenAnyMemberOfTheChainDies() throws Exception {
        memory.metaserver.replicas = 3;
        byte[] bytes = random(6 << 20);
        Gridfarm farm = memory.client();
        try (FarmOutputStream out = farm.write(FarmPath.of("/f"))) {
            out.write(bytes, 0, 2 << 20);
            out.flush();
            memory.nodes.get(1).close();
            out.write(bytes, 2 << 20, 2 << 20);
            out.flush();
            memory.nodes.get(0).close();
            out.write(bytes, 4 << 20, 2 << 20);
        }
        assertThat(memory.metaserver.failed).containsExactlyInAnyOrder("n1", "n2");
        assertThat(memory.nodes.get(2).content(2, 0, 1)).isEqualTo(bytes);
        assertThat(read(farm, "/f")).isEqualTo(bytes);
    }

    @Test
    void overlappingWritesKeepTheirOrderOverAFailure() throws Exception {
        memory.metaserver.replicas = 2;
        Gridfarm farm = memory.client();
        try (FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.READ_WRITE, true)) {
            file.write(0, ByteBuffer.wrap(new byte[1000]));
            memory.nodes.get(0).answersToLose = 1;
            java.util.List<java.util.concurrent.CompletableFuture<Void>> all =
                    new java.util.ArrayList<>();
            for (int i = 1; i <= 50; i++) {
                byte[] bytes = new byte[1000];
                java.util.Arrays.fill(bytes, (byte) i);
                all.add(file.handle().write(0, io.netty.buffer.Unpooled.wrappedBuffer(bytes)));
            }
            all.forEach(java.util.concurrent.CompletableFuture::join);
            ByteBuffer back = ByteBuffer.allocate(1000);
            file.read(0, back);
            assertThat(back.array()).containsOnly((byte) 50);
        }
        assertThat(memory.nodes.get(1).content(2, 0, 1)).containsOnly((byte) 50);
    }

    @Test
    void anAppendWhoseAnswerIsLostIsNotDoneTwice() throws Exception {
        memory.metaserver.replicas = 2;
        Gridfarm one = memory.client();
        Gridfarm other = memory.client();
        FarmPath path = FarmPath.of("/log");
        try (FarmFile a = one.create(path, OpenFlags.WRITE.appending(), true);
                FarmFile b = other.open(path, OpenFlags.WRITE.appending())) {
            assertThat(a.handle().mode()).isEqualTo(DataMode.WRITE_SHARED);
            a.append(ByteBuffer.wrap("first\n".getBytes()));
            b.append(ByteBuffer.wrap("second\n".getBytes()));
            memory.nodes.get(0).answersToLose = 1;
            assertThat(a.append(ByteBuffer.wrap("third\n".getBytes()))).isEqualTo(13);
            b.append(ByteBuffer.wrap("fourth\n".getBytes()));
            assertThat(b.size()).isEqualTo(26);
        }
        assertThat(new String(read(one, "/log"))).isEqualTo("first\nsecond\nthird\nfourth\n");
    }

    /** Where a stripe is short it ends, or has a hole: only all of them together tell. */
    @Test
    void aStripedFileThatAnotherClientWritesEndsWhereItEnds() throws Exception {
        memory.metaserver.stripes = 3;
        byte[] bytes = random(100_000); // in two stripes of 64 KiB
        try (FarmFile writing = memory.client().create(FarmPath.of("/f"), OpenFlags.WRITE, true);
                FarmFile reading = memory.client().open(FarmPath.of("/f"), OpenFlags.READ)) {
            assertThat(reading.handle().mode()).isEqualTo(DataMode.WRITE_SHARED);
            writing.write(0, ByteBuffer.wrap(bytes));
            ByteBuffer got = ByteBuffer.allocate(1 << 20);
            assertThat(reading.read(0, got)).isEqualTo(bytes.length);
            assertThat(got.flip()).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(reading.read(bytes.length, ByteBuffer.allocate(1 << 20))).isEqualTo(-1);
            writing.write(300_000, ByteBuffer.wrap(bytes)); // behind a hole
            ByteBuffer hole = ByteBuffer.allocate(1000);
            assertThat(reading.read(200_000, hole)).isEqualTo(1000);
            assertThat(hole.array()).containsOnly(0);
        }
    }

    @Test
    void aFileThatIsReadAgainIsOpenedWithoutACall() throws Exception {
        Gridfarm farm = memory.client();
        byte[] bytes = random(1000);
        write(farm, "/f", bytes);
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        int opens = memory.metaserver.calls("open");
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        assertThat(memory.metaserver.calls("open")).isEqualTo(opens);
    }

    @Test
    void whoHasReadAFileReadsWhatAnotherHasWrittenSince() throws Exception {
        Gridfarm one = memory.client();
        Gridfarm other = memory.client();
        for (int round = 0; round < 5; round++) {
            byte[] bytes = random(1000 + round);
            write(other, "/f", bytes);
            assertThat(read(one, "/f")).isEqualTo(bytes);
            assertThat(read(one, "/f")).isEqualTo(bytes);
        }
    }

    @Test
    void aFileThatWasReadIsInUseNoMoreWhenItIsRemoved() throws Exception {
        Gridfarm farm = memory.client();
        write(farm, "/f", random(1000));
        read(farm, "/f");
        assertThat(memory.metaserver.handles()).isPositive();
        farm.delete(FarmPath.of("/f"));
        long until = System.nanoTime() + Duration.ofSeconds(4).toNanos(); // it is kept for longer
        while (memory.metaserver.handles() > 0 && System.nanoTime() < until) {
            farm.exists(FarmPath.of("/f"));
        }
        assertThat(memory.metaserver.handles()).isZero();
    }

    /** The mount's ledger strikes out what has ended: a file that is kept open has not. */
    @Test
    void aFileThatIsKeptOpenHasNotEnded() throws Exception {
        Gridfarm farm = memory.client();
        write(farm, "/f", random(1000));
        long inode = farm.stat(FarmPath.of("/f")).inode();
        FileHandle file =
                farm.transfer().open(farm.metadata().self(), inode, OpenFlags.READ).join();
        file.noted();
        assertThat(file.ended()).as("it is open").isNotDone();
        file.close().join();
        assertThat(file.ended()).as("it is kept").isNotDone();
        farm.delete(FarmPath.of("/f"));
        assertThat(file.ended()).succeedsWithin(Duration.ofSeconds(4));
    }

    @Test
    void aReaderTurnsToAnotherReplica() throws Exception {
        memory.metaserver.replicas = 3;
        byte[] bytes = random(100_000);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        memory.nodes.get(0).corrupts = true;
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        memory.nodes.get(1).close();
        assertThat(read(memory.client(), "/f")).isEqualTo(bytes);
    }

    /** One may have come since the file was opened. */
    @Test
    void whoeverWaitsForTheOnlyReplicaAsksForOthers() throws Exception {
        memory.metaserver.replicas = 2;
        byte[] bytes = random(100_000);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        memory.metaserver.replicasTold = 1;
        try (FarmFile file = memory.client().open(FarmPath.of("/f"), OpenFlags.READ)) {
            memory.metaserver.replicasTold = 2;
            memory.nodes.get(0).hangs = true;
            ByteBuffer into = ByteBuffer.allocate(bytes.length);
            file.read(0, into);
            assertThat(into.array()).isEqualTo(bytes);
        }
    }

    @Test
    void aReplicaThatItsNodeLostIsReadFromAnother() throws Exception {
        memory.metaserver.stripes = 3;
        memory.metaserver.replicas = 2;
        byte[] bytes = random(1_000_003);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        memory.nodes.get(0).loseAll();
        assertThat(read(farm, "/f")).isEqualTo(bytes);
    }

    @Test
    void aNodeThatLostItsReplicaMakesNoEmptyOneForAWrite() throws Exception {
        memory.metaserver.replicas = 2;
        byte[] bytes = random(100_000);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        memory.nodes.get(0).loseAll();
        try (FarmFile file = farm.open(FarmPath.of("/f"), OpenFlags.READ_WRITE)) {
            file.write(50_000, ByteBuffer.wrap(bytes, 0, 1000));
        }
        System.arraycopy(bytes, 0, bytes, 50_000, 1000);
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        assertThat(memory.nodes.get(0).content(2, 0, 1)).isEmpty();
    }

    @Test
    void aFileThatIsEmptiedAfterItWasOpenedAgainHasNothingOfItsFormerContent() throws Exception {
        byte[] bytes = random(100_000);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        try (FarmFile file = farm.open(FarmPath.of("/f"), OpenFlags.READ_WRITE)) {
            file.truncate(0);
            file.write(1000, ByteBuffer.wrap(bytes, 0, 1));
        }
        byte[] now = new byte[1001];
        now[1000] = bytes[0];
        assertThat(read(farm, "/f")).isEqualTo(now);
    }

    /** Whoever else asks while it is open is told by the node when that was. */
    @Test
    void aNodeIsToldThatAnEmptyFileIsEmptied() throws Exception {
        Gridfarm farm = memory.client();
        try (FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true)) {
            assertThat(memory.nodes.get(0).has(2, 0, 1)).isFalse();
            file.truncate(0);
            assertThat(memory.nodes.get(0).has(2, 0, 1)).isTrue();
        }
    }

    @Test
    void aHungNodeDelaysAReadByNoMoreThanTwoSeconds() throws Exception {
        memory.metaserver.replicas = 2;
        byte[] bytes = random(100_000);
        Gridfarm farm = memory.client();
        write(farm, "/f", bytes);
        memory.nodes.get(0).hangs = true;
        long begun = System.nanoTime();
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        assertThat(System.nanoTime() - begun).isLessThan(2_500_000_000L);
    }

    @Test
    void anOpenFileIsWrittenOnAfterAFailOver() throws Exception {
        Gridfarm farm = memory.client();
        byte[] bytes = random(300_000);
        try (FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true)) {
            file.write(ByteBuffer.wrap(bytes, 0, 100_000));
            memory.metaserver.restart();
            file.write(ByteBuffer.wrap(bytes, 100_000, 200_000));
        }
        assertThat(read(farm, "/f")).isEqualTo(bytes);
        assertThat(memory.metaserver.calls("refresh")).isPositive();
    }

    /** However long that takes: without renewal the session would end before. */
    @Test
    void manyOpenFilesComeBackAFewAtATimeAndTheLeaseGoesOnMeanwhile() {
        Gridfarm farm = memory.client();
        List<FarmFile> files = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            files.add(farm.create(FarmPath.of("/f" + i), OpenFlags.WRITE, true));
        }
        memory.metaserver.renewalsFirst = 1;
        memory.metaserver.restart();
        for (FarmFile file : files) {
            file.write(ByteBuffer.wrap(random(10)));
            file.close();
        }
        assertThat(memory.metaserver.refreshesAtOnce()).isBetween(2, 64);
    }

    @Test
    void anOpenThatNobodyHearsOfIsGivenUp() throws Exception {
        Gridfarm farm = memory.client(Duration.ofSeconds(1));
        write(farm, "/f", random(100));
        memory.metaserver.losesOpens = true;
        assertThatThrownBy(() -> farm.open(FarmPath.of("/f"), OpenFlags.WRITE))
                .isInstanceOf(FarmException.class);
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (memory.metaserver.handles() > 0 && System.nanoTime() < until) {
            farm.exists(FarmPath.of("/f")); // it is told at its leisure, or along with a call
        }
        assertThat(memory.metaserver.handles()).isZero();
    }

    @Test
    void aWriterWhoseSessionWasEndedIsToldSo() {
        Gridfarm farm = memory.client();
        FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true);
        file.write(ByteBuffer.wrap(random(1000)));
        memory.metaserver.evictAll();
        assertThatThrownBy(file::sync)
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.SESSION_ENDED));
        farm.mkdir(FarmPath.of("/after"));
    }

    @Test
    void aWriterThatComesToTheNextLeaderTooLateIsToldSo() {
        Gridfarm farm = memory.client();
        FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true);
        file.write(ByteBuffer.wrap(random(1000)));
        memory.metaserver.graceIsOver = true;
        memory.metaserver.restart();
        assertThatThrownBy(file::sync)
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.SESSION_ENDED));
        farm.mkdir(FarmPath.of("/after"));
    }

    /** The commit is taken for the former session, and sent in the next. */
    @Test
    void soIsOneWhoCommitsBeforeHisNextSessionHasBegun() {
        Gridfarm farm = memory.client();
        FarmFile file = farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true);
        file.write(ByteBuffer.wrap(random(1000)));
        CompletableFuture<Void> committing = new CompletableFuture<>();
        memory.metaserver.anew = committing;
        memory.metaserver.graceIsOver = true;
        memory.metaserver.restart();
        String openSession = MetadataMethods.OPEN_SESSION.name();
        await("too late").until(() -> memory.metaserver.calls(openSession) > 2);
        CompletableFuture<Void> synced = CompletableFuture.runAsync(file::sync);
        await().until(() -> memory.nodes.stream().anyMatch(node -> node.syncs.get() > 0));
        committing.complete(null);
        assertThatThrownBy(synced::join)
                .cause()
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.SESSION_ENDED));
    }

    @Test
    void treesAreCopiedListedMatchedAndRemoved(
            @org.junit.jupiter.api.io.TempDir java.nio.file.Path local) throws Exception {
        Gridfarm farm = memory.client();
        java.nio.file.Files.createDirectories(local.resolve("a/b"));
        java.nio.file.Files.writeString(local.resolve("a/1.txt"), "one");
        java.nio.file.Files.writeString(local.resolve("a/b/2.txt"), "two");
        assertThat(farm.copyIn(local.resolve("a"), FarmPath.of("/t/a"))).isEqualTo(6);
        assertThat(farm.glob("/t/**/*.txt").toString()).isEqualTo("[/t/a/1.txt, /t/a/b/2.txt]");
        assertThat(farm.walk(FarmPath.of("/t"))).hasSize(5);
        assertThat(farm.copyOut(FarmPath.of("/t/a"), local.resolve("back"))).isEqualTo(6);
        assertThat(local.resolve("back/b/2.txt")).hasContent("two");
        farm.deleteRecursively(FarmPath.of("/t"));
        assertThat(farm.list(FarmPath.ROOT)).isEmpty();
    }
}
