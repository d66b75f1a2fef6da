package org.gridfarm.client.core.transfer.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.protobuf.ByteString;

import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.known.KnownEnd;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What an inode's handles know of its size while opens and commits cross on the way. */
@SuppressWarnings("NullAway") // nobody is called: only the clock counts here
class OpenInodeTest {
    private static final long INODE = 7;
    private static final long SIZE = 100;

    private final Wiring wiring = Wirings.attachedTo("", Clock.system());
    private final OpenInode open = new OpenInode(INODE, wiring);

    @Test
    void anOpenBesideACommitKeepsTheSizeThatWasWritten() {
        open.opened(handle(1), reply(5, 0));
        open.wrote(SIZE);
        CommitContent commit = open.takeCommit(1, null).build();
        open.opened(handle(2), reply(5, 0)); // decided before the commit
        assertThat(open.size()).isEqualTo(SIZE);
        assertThat(open.attributes().getSize()).isEqualTo(SIZE);
        open.committed(commit, attributes(6, commit.getSize()));
        assertThat(open.size()).isEqualTo(SIZE);
    }

    @Test
    void anAppendGoesToTheEndThatATruncateHasLeft() {
        open.opened(handle(1), reply(5, SIZE));
        open.resized(10);
        assertThat(open.reserve(5)).isEqualTo(10);
        assertThat(open.reserve(5)).isEqualTo(15); // the first is under way
        open.appendEnded();
        open.appendEnded();
        open.resized(0);
        assertThat(open.reserve(5)).isZero();
    }

    @Test
    void anAnswerOvertakenByACommitIsNotBelieved() {
        open.opened(handle(1), reply(5, 0));
        open.wrote(SIZE);
        open.committed(open.takeCommit(1, null).build(), attributes(6, SIZE));
        open.opened(handle(2), reply(5, 0));
        assertThat(open.attributes().getSize()).isEqualTo(SIZE);
        open.refreshed(reply(5, 0));
        assertThat(open.attributes().getSize()).isEqualTo(SIZE);
    }

    /** Those who look may know a mode that was set meanwhile, and nothing of the commit. */
    @Test
    void whatIsShownIsNeverFromBeforeAWriteWheneverItsCommitIsAnswered() throws Exception {
        open.opened(handle(1), reply(5, 0));
        for (int version = 6; version < 4006; version += 2) {
            open.wrote(version);
            Attributes known = attributes(version, 0);
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Attributes> shown =
                    CompletableFuture.supplyAsync(() -> {
                        begun.countDown();
                        return open.shown(known);
                    });
            CommitContent commit = open.takeCommit(1, null).build();
            begun.await();
            open.committed(commit, attributes(version + 1, version));
            assertThat(shown.get().getSize()).isEqualTo(version);
        }
    }

    @Test
    void aRefreshBesideACommitKeepsTheSizeThatWasWritten() {
        open.opened(handle(1), reply(5, 0));
        open.wrote(SIZE);
        open.takeCommit(1, null);
        open.refreshed(reply(5, 0));
        assertThat(open.size()).isEqualTo(SIZE);
    }

    /** Its own write may be long ago, and would pass for one by a clock that is wrong. */
    @Test
    void aCommitTellsWhenAnotherWroteLast() {
        open.opened(handle(1), shared(reply(5, 0)));
        open.wrote(SIZE);
        Attributes theirs =
                attributes(6, SIZE).toBuilder()
                        .setMtime(Long.MAX_VALUE)
                        .setCtime(Long.MAX_VALUE)
                        .build();
        assertThat(open.shown(theirs).getMtime()).isEqualTo(Long.MAX_VALUE);
        KnownEnd.Told told = new KnownEnd.Told(6, open.changes(), SIZE, Long.MAX_VALUE);
        assertThat(open.takeCommit(1, told).getMtime()).isEqualTo(Long.MAX_VALUE);
        assertThat(open.takeCommit(1, told).getMtime()).as("nothing since").isZero();
    }

    /** While another mount had it open, too, only the node that was written to knew the size. */
    @Test
    void whatWasWrittenBesideOthersIsNotMeasuredByWhatTheyCommitted() {
        open.opened(handle(1), shared(reply(5, 0)));
        open.wrote(SIZE);
        open.opened(handle(2), reply(6, 0)); // the others have closed it
        assertThat(open.mode()).isEqualTo(DataMode.WRITE_SHARED);
        open.refreshed(reply(6, 0));
        assertThat(open.known(0, 1)).isNegative();
        assertThat(open.takeCommit(1, null)).isNull();
        KnownEnd.Told told = new KnownEnd.Told(6, open.changes(), SIZE, 0);
        open.committed(open.takeCommit(1, told).build(), attributes(7, SIZE));
        open.refreshed(reply(7, SIZE));
        assertThat(open.mode()).isEqualTo(DataMode.EXCLUSIVE);
    }

    @Test
    void ofTwoCommitsTheLaterOneCounts() {
        open.opened(handle(1), reply(5, 0));
        open.wrote(10);
        CommitContent earlier = open.takeCommit(1, null).build();
        open.wrote(SIZE);
        CommitContent later = open.takeCommit(1, null).build();
        open.committed(later, attributes(7, SIZE));
        open.committed(earlier, attributes(6, 10));
        assertThat(open.size()).isEqualTo(SIZE);
        assertThat(open.isCommitted()).isTrue();
    }

    /** One program closes what another has appended to meanwhile, and closes in its turn. */
    @Test
    void theAnswerOfACommitIsOlderThanWhatTheNextOneTells() {
        open.opened(handle(1), reply(5, 0));
        open.wrote(10);
        CommitContent first = open.takeCommit(1, null).build();
        open.wrote(20);
        open.takeCommit(2, null);
        open.committed(first, attributes(6, 10));
        assertThat(open.reserve(1)).isEqualTo(20);
    }

    /** One handle's close is on its way when the chain tells what was written through another. */
    @Test
    void theAnswerOfACommitIsOlderThanWhatTheKernelHasWrittenSince(@TempDir Path directory)
            throws IOException {
        open.opened(handle(1), reply(5, 0));
        Path file = granted(Files.createFile(directory.resolve("staged")));
        open.opened(handle(2), reply(5, 0));
        Files.write(file, new byte[20]);
        open.wroteLocally(); // through the second, ahead of the first one's commit
        open.outcome(0, ChainOutcome.newBuilder().setSize(10).build()); // measured before
        CommitContent first = open.takeCommit(1, null).build();
        open.outcome(0, ChainOutcome.newBuilder().setSize(20).build());
        open.committed(first, attributes(6, 10));
        assertThat(open.takeCommit(2, null).getSize()).isEqualTo(20);
    }

    /** The leader has closed and replaced the content, and only the close's answer is late. */
    @Test
    void anOpenThatReplacesTheContentEndsTheKernelsWritingOfTheOneBefore(@TempDir Path directory)
            throws IOException {
        open.opened(handle(1), ofGeneration(5, 1));
        granted(Files.createFile(directory.resolve("staged")));
        open.opened(handle(2), ofGeneration(7, 2));
        assertThat(open.content()).isEqualTo(Content.SENT);
    }

    private static OpenReply ofGeneration(long version, int generation) {
        return reply(version, 0).toBuilder()
                .setAttributes(attributes(version, 0).toBuilder().setGeneration(generation))
                .setLayout(
                        Layout.newBuilder()
                                .addObjects(
                                        ObjectLocation.newBuilder()
                                                .setObject(
                                                        ObjectId.newBuilder()
                                                                .setGeneration(generation))))
                .build();
    }

    /** Of two answers the leader may send the newer one first. */
    @Test
    void anOpenKeepsWhatTheLastHandleKnewThatIsClosedMeanwhile() {
        FarmFileHandle last = handle(1);
        open.opened(last, reply(5, 0));
        open.wrote(SIZE);
        open.committed(open.takeCommit(1, null).build(), attributes(6, SIZE));
        open.closed(last);
        open.opened(handle(2), reply(5, 0));
        assertThat(open.reserve(1)).isEqualTo(SIZE);
    }

    @Test
    void whatWasWrittenAfterTheChainWasAskedIsForTheNextCommit() {
        open.opened(handle(1), shared(reply(5, 0)));
        open.wrote(10);
        KnownEnd.Told told = new KnownEnd.Told(5, open.changes(), 10, 0);
        open.wrote(20);
        assertThat(open.takeCommit(1, told).build().getSize()).isEqualTo(10);
        assertThat(open.isDirty()).isTrue();
    }

    @Test
    void anAnswerOfTheChainThatComesLateDoesNotMoveTheEndOfWhoIsAloneAgain() {
        open.opened(handle(1), shared(reply(5, 10)));
        open.opened(handle(2), reply(6, 20));
        open.sizeSeen(10);
        assertThat(open.reserve(1)).isEqualTo(20);
    }

    /** Others may write as soon as the recall is answered: what has its place arrives before. */
    @Test
    void anAppendThatHasItsPlaceHoldsBackThoseOfOthers() {
        open.opened(handle(1), reply(5, 20));
        assertThat(open.reserve(1)).isEqualTo(20);
        open.recalled(DataMode.WRITE_SHARED, true);
        assertThat(open.reserve(1)).isNegative();
        assertThat(open.reservedEnded()).isNotDone();
        open.appendEnded();
        assertThat(open.reservedEnded()).isCompleted();
    }

    @Test
    void whatWasWrittenSinceTheLastCommitIsNotCommitted() {
        open.opened(handle(1), reply(5, 0));
        assertThat(open.isCommitted()).isFalse();
        open.wrote(SIZE);
        open.committed(open.takeCommit(1, null).build(), attributes(6, SIZE));
        assertThat(open.isCommitted()).isTrue();
        open.wrote(SIZE); // the same bytes again: only a sum could tell
        assertThat(open.isCommitted()).isFalse();
    }

    @Test
    void whatAnotherClientCommittedIsTakenByTheNextOpen() {
        open.opened(handle(1), reply(5, 0));
        open.opened(handle(2), reply(8, SIZE));
        assertThat(open.size()).isEqualTo(SIZE);
    }

    @Test
    void readersLeftBehindByALocalWriterHaveNothingToMakeAgree(@TempDir Path directory)
            throws IOException {
        FarmFileHandle writer = handle(1);
        open.opened(writer, reply(5, 0));
        Path file = granted(Files.createFile(directory.resolve("staged")));
        open.opened(handle(2, OpenFlags.READ), reply(5, 0));
        Files.write(file, new byte[(int) SIZE]);
        open.wroteLocally();
        assertThat(open.known(0, 1)).isNegative();
        open.takeUnsure();
        open.outcome(0, ChainOutcome.newBuilder().setSize(SIZE).build());
        open.committed(open.takeCommit(1, null).build(), attributes(6, SIZE));
        open.closed(writer);
        assertThat(open.takeUnsure()).isFalse();
        assertThat(open.known(SIZE - 1, 10)).isEqualTo(1);
    }

    /** The kernel's clock for files goes by ticks, and so may lag behind ours. */
    @Test
    void whatTheKernelWritesAfterATimeWasSetCountsWithinTheSameTick(@TempDir Path directory)
            throws IOException {
        long before = 1_700_000_000_000_000_000L;
        Path file = dated(directory, before);
        open.opened(handle(1), reply(5, 0));
        granted(file);
        assertThat(open.modificationTimeSet()).isCompleted();
        open.wroteLocally();
        open.outcome(0, ChainOutcome.newBuilder().setSize(1).setMtime(before).build());
        assertThat(open.takeCommit(1, null).getMtime()).as("written before it was set").isZero();
        open.outcome(0, ChainOutcome.newBuilder().setSize(1).setMtime(before + 1).build());
        assertThat(open.takeCommit(1, null).getMtime()).isEqualTo(before + 1);
    }

    /** The object's clock may be behind ours by any time. */
    @Test
    void whatTheKernelWritesCountsThoughATimeWasSetBeforeItsFileWasGranted(@TempDir Path directory)
            throws IOException {
        long before = 1_700_000_000_000_000_000L;
        Path file = dated(directory, before);
        open.opened(handle(1), reply(5, 0));
        assertThat(open.modificationTimeSet()).isCompleted();
        granted(file);
        open.wroteLocally();
        open.outcome(0, ChainOutcome.newBuilder().setSize(1).setMtime(before + 1).build());
        assertThat(open.takeCommit(1, null).getMtime()).isEqualTo(before + 1);
    }

    @Test
    void theSameBytesWrittenAgainAreAChange(@TempDir Path directory) throws IOException {
        long before = 1_700_000_000_000_000_000L;
        Path file = dated(directory, before);
        open.opened(handle(1), reply(5, 0));
        granted(file);
        ByteString digest =
                ByteString.copyFrom(
                        ContentDigest.of(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {1})}));
        open.outcome(
                0, ChainOutcome.newBuilder().setSize(1).setMtime(before).setDigest(digest).build());
        assertThat(open.takeUnsure()).isFalse();
        Files.setLastModifiedTime(file, FileTime.from(before + 1, TimeUnit.NANOSECONDS));
        assertThat(open.takeUnsure()).isTrue();
    }

    private static Path dated(Path directory, long nanos) throws IOException {
        Path file = Files.write(directory.resolve("staged"), new byte[] {1});
        return Files.setLastModifiedTime(file, FileTime.from(nanos, TimeUnit.NANOSECONDS));
    }

    @Test
    void readersLeftBehindByAWriterThatFailedSeeWhatWasCommitted() {
        FarmFileHandle writer = handle(1);
        open.opened(writer, reply(5, 1));
        open.opened(handle(2, OpenFlags.READ), reply(5, 1));
        open.wrote(SIZE);
        open.writeFailed();
        open.commitFailed(open.takeCommit(1, null).build());
        open.closed(writer);
        assertThat(open.takeUnsure()).isFalse();
        assertThat(open.isDirty()).isFalse();
        assertThat(open.attributes().getSize()).isEqualTo(1);
        assertThat(open.known(0, 10)).isEqualTo(1);
    }

    /** Their answers come in any order after a leader or the process was replaced. */
    @Test
    void aReaderThatComesBackDoesNotTakeTheTicketsOfAWriter() {
        FarmFileHandle writer = handle(1);
        FarmFileHandle reader = handle(2, OpenFlags.READ);
        open.restore(writer, 1);
        open.restore(reader, 1);
        writer.reclaimed(withTicket("rw"));
        reader.reclaimed(withTicket("r"));
        assertThat(ticket()).isEqualTo("rw");
        open.closed(writer);
        reader.reclaimed(withTicket("r"));
        assertThat(ticket()).isEqualTo("r");
    }

    private static OpenReply withTicket(String ticket) {
        Replica replica = Replica.newBuilder().setTicket(ByteString.copyFromUtf8(ticket)).build();
        return reply(5, 0).toBuilder()
                .setLayout(
                        Layout.newBuilder()
                                .addObjects(ObjectLocation.newBuilder().addReplicas(replica)))
                .build();
    }

    private String ticket() {
        return open.layout().join().getObjects(0).getReplicas(0).getTicket().toStringUtf8();
    }

    @Test
    void howMuchLiesWithinTheFileIsKnownOnlyWhereNobodyElseWrites() {
        open.opened(handle(1), reply(5, SIZE));
        assertThat(open.known(SIZE - 5, 10)).isEqualTo(5);
        assertThat(open.known(SIZE + 5, 10)).isZero();
        open.recalled(DataMode.WRITE_SHARED, true);
        assertThat(open.known(SIZE - 5, 10)).isNegative();
    }

    /** What is on its way to the chain would arrive after what is written into the file. */
    @Test
    void aFileIsWrittenHereFromAMomentOnWhenNothingIsUnderWay(@TempDir Path disk)
            throws IOException {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        Layout asked = open.layoutNow();
        LocalReplica given = given(disk.resolve("f"));
        open.changing(1);
        assertThat(open.grantedHere(given, asked, By.THREADS)).isFalse();
        open.changing(-1);
        assertThat(open.grantedHere(given, asked, By.THREADS)).isTrue();
        assertThat(open.content()).isInstanceOf(Content.Plain.class);
        assertThat(open.grantedHere(given, asked, By.THREADS)).isFalse();
    }

    /** Its process has no ledger that would tell the next one of it. */
    @Test
    void onlyWhatTheKernelWritesRests(@TempDir Path disk) throws IOException {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        assertThat(open.grantedHere(given(disk.resolve("f")), open.layoutNow(), By.THREADS))
                .isTrue();
        assertThat(open.plain.mayRest()).isFalse();
        OpenInode kernels = new OpenInode(INODE, wiring);
        kernels.opened(handle(1), onlyHere(5, 1 << 20));
        kernels.grantedLocally(given(disk.resolve("g")));
        assertThat(kernels.plain.mayRest()).isTrue();
    }

    /**
     * It would hold up everybody's calls for a disk: the file is read and written by others then.
     */
    @Test
    void aThreadThatServesEverybodyDoesNothingOnTheSpot(@TempDir Path disk) throws Exception {
        Wiring here = Wirings.attachedTo("n1", Clock.system());
        OpenInode inode = new OpenInode(INODE, here);
        FarmFileHandle handle =
                new FarmFileHandle(
                        here,
                        null,
                        inode,
                        1,
                        OpenFlags.READ_WRITE,
                        Credentials.getDefaultInstance());
        inode.opened(handle, onlyAt("n1", 5, 1 << 20));
        assertThat(inode.grantedHere(given(disk.resolve("f")), inode.layoutNow(), By.THREADS))
                .isTrue();
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
        assertThat(handle.writeHere(10, bytes.duplicate())).isTrue();
        assertThat(handle.sizeHere()).isEqualTo(13);
        try (Loops network = Loops.start("open-test", 1)) {
            CompletableFuture.runAsync(
                            () -> {
                                assertThat(handle.sizeHere()).isNegative();
                                assertThat(handle.writeHere(13, bytes)).isFalse();
                                assertThat(handle.readHere(0, bytes)).isNegative();
                                assertThat(handle.mayWriteHereSoon()).isFalse();
                            },
                            network.group().next())
                    .get();
        }
        assertThat(bytes.remaining()).isEqualTo(3);
        assertThat(handle.sizeHere()).isEqualTo(13);
    }

    @Test
    void aFileThatOthersOpenedMeanwhileIsNotWrittenHere(@TempDir Path disk) throws IOException {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        Layout asked = open.layoutNow();
        LocalReplica given = given(disk.resolve("f"));
        open.recalled(DataMode.WRITE_SHARED, false);
        assertThat(open.grantedHere(given, asked, By.THREADS)).isFalse();
    }

    /** The file that was given then may be another one's by now. */
    @Test
    void aFileThatMovedMeanwhileIsNotWrittenHere(@TempDir Path disk) throws IOException {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        Layout asked = open.layoutNow();
        LocalReplica given = given(disk.resolve("f"));
        open.recalled(DataMode.DATA_MODE_UNSPECIFIED, true);
        assertThat(open.grantedHere(given, asked, By.THREADS)).isFalse();
        open.refreshed(
                onlyHere(6, 1 << 20).toBuilder()
                        .setLayout(asked.toBuilder().setTicketExpiry(Long.MAX_VALUE))
                        .build());
        assertThat(open.grantedHere(given, asked, By.THREADS)).isFalse();
        assertThat(open.grantedHere(given, open.layoutNow(), By.THREADS)).isTrue();
    }

    /** Others write through the chain as soon as the recall is answered. */
    @Test
    void whatIsBeingWrittenHereHoldsBackOthersAndWhatBeginsThenIsNotWrittenHere(@TempDir Path disk)
            throws Exception {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        assertThat(open.grantedHere(given(disk.resolve("f")), open.layoutNow(), By.THREADS))
                .isTrue();
        LocalWriting here = open.content().file();
        Executor threads = task -> new Thread(task).start();
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicInteger over = new AtomicInteger();
        Supplier<Boolean> change =
                () -> {
                    begun.countDown();
                    try {
                        boolean went = goesOn.await(10, TimeUnit.SECONDS);
                        over.incrementAndGet();
                        return went;
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                };
        var onTheSpot = CompletableFuture.supplyAsync(() -> here.onTheSpot(change::get), threads);
        var inTurn = CompletableFuture.supplyAsync(() -> here.inTurn(change).join(), threads);
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Long> late =
                new FileWrites(wiring, open).append(Unpooled.wrappedBuffer(new byte[5]), 0);
        assertThat(late).isNotDone();
        open.recalled(DataMode.WRITE_SHARED, true);
        CompletableFuture<Void> quiet = open.plain.ended();
        assertThat(quiet).isNotDone();
        goesOn.countDown();
        quiet.get(10, TimeUnit.SECONDS);
        assertThat(over).hasValue(2);
        assertThat(onTheSpot).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(true);
        assertThat(inTurn).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(true);
        assertThat(late).failsWithin(10, TimeUnit.SECONDS); // there is no chain
        assertThat(disk.resolve("f")).hasSize(10);
    }

    @Test
    void aFileThatFillsTheDiskHereIsSentAgain(@TempDir Path disk) throws IOException {
        open.opened(handle(1), onlyHere(5, 1 << 20));
        LocalReplica given = given(disk.resolve("f"));
        assertThat(open.grantedHere(given, open.layoutNow(), By.THREADS)).isTrue();
        LocalWriting here = open.content().file();
        Files.write(disk.resolve("f"), new byte[30]);
        open.changing(2);
        assertThat(open.leftHere(here)).isFalse(); // the other one may still make it longer
        open.changing(-1);
        assertThat(open.leftHere(here)).isTrue();
        assertThat(open.content()).isEqualTo(Content.SENT);
        assertThat(open.size()).isEqualTo(30);
        assertThat(open.known(0, 100)).isEqualTo(30);
        assertThat(open.isDirty()).isTrue();
        assertThat(open.takeUnsure()).isTrue();
    }

    private static LocalReplica given(Path file) throws IOException {
        Files.write(file, new byte[10]);
        return LocalReplica.open(
                OpenLocalReply.newBuilder().setPath(file.toString()).setSize(10).build(),
                true,
                null);
    }

    /** At the attached node, which has no name here. */
    private static OpenReply onlyHere(long version, long size) {
        return onlyAt("", version, size);
    }

    private static OpenReply onlyAt(String node, long version, long size) {
        return reply(version, size).toBuilder()
                .setLayout(
                        Layout.newBuilder()
                                .addObjects(
                                        ObjectLocation.newBuilder()
                                                .setObject(ObjectId.newBuilder().setInode(INODE))
                                                .addReplicas(Replica.newBuilder().setNode(node))))
                .build();
    }

    /** The kernel may write it, as the staged file that the inode is to be made of. */
    @CanIgnoreReturnValue
    private Path granted(Path file) throws IOException {
        open.grantedLocally(
                LocalReplica.staged(
                        StagedFile.newBuilder().setNumber(1).setPath(file.toString()).build()));
        return file;
    }

    private FarmFileHandle handle(long id) {
        return handle(id, OpenFlags.READ_WRITE);
    }

    private FarmFileHandle handle(long id, OpenFlags flags) {
        return new FarmFileHandle(wiring, null, open, id, flags, Credentials.getDefaultInstance());
    }

    private static OpenReply reply(long version, long size) {
        return OpenReply.newBuilder()
                .setAttributes(attributes(version, size))
                .setMode(DataMode.EXCLUSIVE)
                .build();
    }

    private static OpenReply shared(OpenReply reply) {
        return reply.toBuilder().setMode(DataMode.WRITE_SHARED).build();
    }

    private static Attributes attributes(long version, long size) {
        return Attributes.newBuilder().setInode(INODE).setVersion(version).setSize(size).build();
    }
}
