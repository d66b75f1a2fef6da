package org.gridfarm.client.core.transfer.idle;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What rests is closed for good once, unless somebody goes on with it. */
class RestingWritersTest {
    private static final Credentials ALICE = Credentials.newBuilder().setUid(1001).build();
    private static final Credentials BOB = Credentials.newBuilder().setUid(1002).build();
    private static final long VERSION = 7;

    private final SimClock clock = new SimClock();
    private final RestingWriters resting = new RestingWriters(clock);

    private static final class Writer implements RestingWriters.Writer {
        final long inode;
        final long id;
        final CompletableFuture<Void> settled = new CompletableFuture<>();
        final CompletableFuture<Void> committed = new CompletableFuture<>();
        OpenFlags flags = OpenFlags.READ_WRITE;
        int closes;
        int settles;
        int goesOn;
        boolean isBroken;

        Writer(long inode) {
            this(inode, inode * 10);
        }

        Writer(long inode, long id) {
            this.inode = inode;
            this.id = id;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public CompletableFuture<Void> settle() {
            settles++;
            return settled;
        }

        @Override
        public long inode() {
            return inode;
        }

        @Override
        public Credentials who() {
            return ALICE;
        }

        @Override
        public OpenFlags flags() {
            return flags;
        }

        @Override
        public void goesOn() {
            goesOn++;
        }

        @Override
        public CompletableFuture<Void> closeForGood() {
            closes++;
            if (isBroken) throw new IllegalStateException("a defect");
            return committed;
        }
    }

    @Test
    void whoeverOpensItInTheSameWayGoesOn() {
        Writer writer = new Writer(1);
        assertThat(resting.add(writer, VERSION)).isTrue();
        assertThat(resting.take(1, ALICE, OpenFlags.READ_WRITE, VERSION)).isSameAs(writer);
        assertThat(writer.goesOn).isEqualTo(1);
        assertThat(resting.take(1, ALICE, OpenFlags.READ_WRITE, VERSION)).isNull();
        clock.advance(Duration.ofMinutes(1));
        assertThat(writer.closes).isZero();
    }

    @Test
    void nobodyElseDoes() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        assertThat(resting.take(1, BOB, OpenFlags.READ_WRITE, VERSION)).isNull();
        assertThat(resting.take(1, ALICE, OpenFlags.WRITE, VERSION)).isNull();
        assertThat(resting.take(1, ALICE, OpenFlags.READ_WRITE, VERSION + 1)).isNull();
        assertThat(resting.take(2, ALICE, OpenFlags.READ_WRITE, VERSION)).isNull();
        assertThat(writer.goesOn).isZero();
    }

    /** Though the same flags emptied it before: it would keep what was written since. */
    @Test
    void nobodyGoesOnWhoEmptiesTheFile() {
        Writer writer = new Writer(1);
        writer.flags = OpenFlags.WRITE.truncating();
        resting.add(writer, VERSION);
        assertThat(resting.take(1, ALICE, OpenFlags.WRITE.truncating(), VERSION)).isNull();
        assertThat(writer.goesOn).isZero();
    }

    /** The kernel tells of the last user late: what is removed meanwhile would count as open. */
    @Test
    void whoChangesWhatSomebodyIsLeavingWaitsForTheClose() {
        Writer writer = new Writer(1);
        assertThat(resting.closing(new long[] {1})).isNull();
        resting.leaves(new Writer(1, 10));
        assertThat(resting.closing(new long[] {2})).isNull();
        CompletableFuture<Void> before = resting.closing(new long[] {2, 1});
        assertThat(before).isNotNull().isNotDone();
        resting.begunSoon(writer);
        resting.left(10);
        assertThat(writer.closes).as("nobody waits for others").isEqualTo(1);
        assertThat(before).isNotDone();
        writer.committed.complete(null);
        assertThat(before).isCompleted();
    }

    /** The change moves the ctime: nobody elsewhere would see that it was written later. */
    @Test
    void whoChangesWhatRestsWaitsForItsClose() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        assertThat(resting.closing(new long[] {2})).isNull();
        CompletableFuture<Void> before = resting.closing(new long[] {2, 1});
        assertThat(writer.closes).isEqualTo(1);
        assertThat(before).isNotNull().isNotDone();
        writer.committed.complete(null);
        assertThat(before).isCompleted();
    }

    /** A descriptor that somebody else still holds, or a kernel that has no time. */
    @Test
    void whoChangesWhatNobodyLeavesAfterAllWaitsForItsCommit() {
        Writer writer = new Writer(1);
        resting.leaves(writer);
        CompletableFuture<Void> before = resting.closing(new long[] {1});
        assertThat(writer.settles).isZero();
        clock.advance(RestingWriters.LEAVES_WITHIN);
        assertThat(writer.settles).isEqualTo(1);
        assertThat(before).isNotNull().isNotDone();
        assertThat(resting.closing(new long[] {1})).as("later, too").isNotNull().isNotDone();
        writer.settled.completeExceptionally(new IllegalStateException("its close will tell"));
        assertThat(before).isCompleted();
        resting.left(writer.id());
        assertThat(resting.closing(new long[] {1})).isNull();
    }

    @Test
    void itIsClosedForGoodAfterAWhile() {
        Writer first = new Writer(1);
        resting.add(first, VERSION);
        clock.advance(RestingWriters.RESTS.dividedBy(2));
        Writer second = new Writer(2);
        resting.add(second, VERSION);
        assertThat(first.closes).isZero();
        clock.advance(RestingWriters.RESTS.dividedBy(2));
        assertThat(first.closes).isEqualTo(1);
        assertThat(second.closes).isZero();
        clock.advance(RestingWriters.RESTS.dividedBy(2));
        assertThat(second.closes).isEqualTo(1);
        clock.advance(Duration.ofMinutes(1));
        assertThat(first.closes + second.closes).isEqualTo(2);
    }

    @Test
    void whoeverEndsItWaitsForTheCommit() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        CompletableFuture<Void> ended = resting.end(1);
        assertThat(writer.closes).isEqualTo(1);
        assertThat(ended).isNotDone();
        writer.committed.complete(null);
        assertThat(ended).isCompleted();
        assertThat(resting.end(1)).as("nothing rests").isCompleted();
        assertThat(writer.closes).isEqualTo(1);
    }

    @Test
    void butNotForEver() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        CompletableFuture<Void> ended = resting.end(1);
        clock.advance(RestingWriters.WAIT_MAX);
        assertThat(ended).isCompleted();
        assertThat(resting.endAll()).as("it is not closed yet").isNotDone();
    }

    @Test
    void aCloseThatFailsEndsItAllTheSame() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        writer.committed.completeExceptionally(new IllegalStateException("no room"));
        assertThat(resting.end(1)).isCompleted();
    }

    @Test
    void whoWantsAllToBeClosedHearsOfTheOneThatFails() {
        Writer well = new Writer(1);
        Writer badly = new Writer(2);
        resting.add(well, VERSION);
        resting.begunUnawaited(badly).run();
        CompletableFuture<Void> all = resting.endAll();
        badly.committed.completeExceptionally(new IllegalStateException("no room"));
        assertThat(all).isNotDone();
        well.committed.complete(null);
        assertThat(all).isCompletedExceptionally();
        assertThat(resting.endAll()).as("told once").isCompleted();
    }

    @Test
    void aNewFileIsClosedAtOnceAndWhoWantsItWaits() {
        Writer writer = new Writer(1);
        Runnable close = resting.begunUnawaited(writer);
        CompletableFuture<Void> ended = resting.end(1);
        assertThat(ended).as("it has not begun").isNotDone();
        close.run();
        assertThat(writer.closes).isEqualTo(1);
        assertThat(resting.closing(new long[] {2, 3})).isNull();
        CompletableFuture<Void> before = resting.closing(new long[] {2, 1});
        assertThat(before).isNotNull().isNotDone();
        writer.committed.complete(null);
        assertThat(ended).isCompleted();
        assertThat(before).isCompleted();
        assertThat(resting.closing(new long[] {1})).isNull();
        assertThat(writer.closes).isEqualTo(1);
    }

    @Test
    void newFilesAreClosedTogetherAMomentLater() {
        Writer first = new Writer(1);
        Writer second = new Writer(2);
        resting.begunSoon(first).run();
        clock.advance(Gathering.WITHIN.dividedBy(2));
        resting.begunSoon(second).run();
        assertThat(first.closes + second.closes).isZero();
        clock.advance(Gathering.WITHIN.dividedBy(2));
        assertThat(first.closes).isEqualTo(1);
        assertThat(second.closes).isEqualTo(1);
    }

    @Test
    void oneThatCannotEvenBeginKeepsNoOtherFromIt() {
        Writer first = new Writer(1);
        first.isBroken = true;
        Writer second = new Writer(2);
        resting.begunSoon(first).run();
        resting.begunSoon(second).run();
        clock.advance(Gathering.WITHIN);
        assertThat(second.closes).isEqualTo(1);
        assertThat(resting.closing(new long[] {1})).as("it is over").isNull();
    }

    @Test
    void andAtOnceWhenThereAreMany() {
        Writer[] writers = new Writer[Gathering.MOST + 1];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = new Writer(i);
            resting.begunSoon(writers[i]).run();
        }
        assertThat(writers[0].closes).isEqualTo(1);
        assertThat(writers[Gathering.MOST - 1].closes).isEqualTo(1);
        assertThat(writers[Gathering.MOST].closes).isZero();
        clock.advance(Gathering.WITHIN);
        assertThat(writers[Gathering.MOST].closes).isEqualTo(1);
    }

    @Test
    void andAtOnceWhenSomebodyWantsOneOfThem() {
        for (int way = 0; way < 3; way++) {
            Writer writer = new Writer(way);
            Runnable rest = resting.begunSoon(writer);
            assertThat(resting.closing(new long[] {100})).as("nobody wants it").isNull();
            assertThat(writer.closes).isZero();
            switch (way) { // before its own thread goes on
                case 0 -> assertThat(resting.end(way)).isNotDone();
                case 1 -> assertThat(resting.closing(new long[] {way})).isNotNull().isNotDone();
                default -> assertThat(resting.endAll()).isNotDone();
            }
            assertThat(writer.closes).isEqualTo(1);
            rest.run();
            writer.committed.complete(null);
        }
    }

    @Test
    void noMoreThanSoManyAreClosedWhileTheirProgramsGoOn() {
        Writer first = new Writer(0);
        resting.begunUnawaited(first).run();
        for (int i = 1; i < RestingWriters.CLOSING_MAX; i++) {
            assertThat(resting.hasRoom()).isTrue();
            resting.begunUnawaited(new Writer(i)).run();
        }
        assertThat(resting.hasRoom()).isFalse();
        first.committed.complete(null);
        assertThat(resting.hasRoom()).isTrue();
    }

    @Test
    void noMoreThanSoManyRest() {
        for (int i = 0; i < RestingWriters.RESTING_MAX; i++) {
            assertThat(resting.add(new Writer(i), VERSION)).isTrue();
        }
        assertThat(resting.add(new Writer(1000), VERSION)).isFalse();
        assertThat(resting.add(new Writer(1), VERSION)).as("one of a file").isFalse();
    }

    @Test
    void whoeverOpensItWhileItIsBeingClosedWaitsAMoment() {
        resting.leaves(new Writer(1, 10));
        CompletableFuture<Void> left = resting.leaving(1);
        assertThat(left).isNotNull().isNotDone();
        resting.left(10);
        assertThat(left).isCompleted();
        assertThat(resting.leaving(1)).isNull();
        resting.leaves(new Writer(2, 20));
        CompletableFuture<Void> never = resting.leaving(2);
        clock.advance(Duration.ofSeconds(1));
        assertThat(never).isCompleted();
        assertThat(resting.leaving(2)).isNull();
    }

    /**
     * The program's close(2) has returned: others are to see what it wrote, however slow we are.
     */
    @Test
    void whoAsksFromElsewhereWaitsForTheLastUserOrForACommit() {
        Writer writer = new Writer(1);
        resting.leaves(writer);
        CompletableFuture<Void> soon = resting.end(1);
        Runnable close = resting.begunUnawaited(writer);
        resting.left(writer.id());
        close.run();
        assertThat(soon).as("it is being closed").isNotDone();
        writer.committed.complete(null);
        assertThat(soon).isCompleted();
        assertThat(writer.settles).isZero();

        resting.leaves(writer);
        clock.advance(RestingWriters.LEAVES_WITHIN.multipliedBy(10));
        assertThat(resting.leaving(1)).as("whoever opens it here").isNull();
        CompletableFuture<Void> late = resting.end(1);
        assertThat(late).isNotDone();
        assertThat(writer.settles).isEqualTo(1);
        writer.settled.complete(null);
        assertThat(late).isCompleted();
    }

    /** The kernel tells of the first release after the second close(2). */
    @Test
    void ofTwoWhoAreLeavingBothAreWaitedFor() {
        Writer second = new Writer(1, 11);
        resting.leaves(new Writer(1, 10));
        resting.leaves(second);
        CompletableFuture<Void> ended = resting.end(1);
        resting.left(10);
        assertThat(ended).isNotDone();
        assertThat(resting.leaving(1)).isNotNull().isNotDone();
        assertThat(resting.closing(new long[] {1})).isNotNull().isNotDone();
        Runnable close = resting.begunUnawaited(second);
        resting.left(11);
        close.run();
        assertThat(ended).isNotDone();
        second.committed.complete(null);
        assertThat(ended).isCompleted();
    }

    /** Its nodes have what was written: it is there for whoever opens the file. */
    @Test
    void whatIsOnlyToBeCommittedIsWaitedForByWhoChangesTheFile() {
        Writer writer = new Writer(1);
        resting.leavesToCommit(writer);
        assertThat(resting.leaving(1)).isNull();
        assertThat(resting.endToOpen(1)).isCompleted();
        CompletableFuture<Void> change = resting.closing(new long[] {1});
        CompletableFuture<Void> recall = resting.end(1);
        Supplier<CompletableFuture<Void>> close = resting.begunLeaving(writer, false);
        resting.left(writer.id());
        CompletableFuture<Void> closed = close.get();
        assertThat(resting.endToOpen(1)).isCompleted();
        for (CompletableFuture<Void> waiting : List.of(change, recall, resting.end(1))) {
            assertThat(waiting).isNotDone();
        }
        writer.committed.complete(null);
        assertThat(closed).isCompleted();
        assertThat(change).isCompleted();
        assertThat(recall).isCompleted();
        assertThat(resting.closing(new long[] {1})).isNull();
    }

    /** A program has closed it before, whether the kernel has told of its last user or not. */
    @Test
    void whoSyncsAllWaitsForThoseWhoAreLeaving() {
        Writer goes = new Writer(1);
        Writer stays = new Writer(2);
        resting.leaves(goes);
        resting.leavesToCommit(stays);
        CompletableFuture<Void> all = resting.endAll();
        Runnable close = resting.begunUnawaited(goes);
        resting.left(goes.id());
        close.run();
        clock.advance(RestingWriters.LEAVES_WITHIN);
        assertThat(List.of(goes.settles, stays.settles)).containsExactly(0, 1);
        goes.committed.complete(null);
        assertThat(all).isNotDone();
        stays.settled.completeExceptionally(new FarmException(ErrorKind.TIMED_OUT, "commit", ""));
        assertThat(all).isCompletedExceptionally();
    }

    @Test
    void whoGoesWhileHeIsCommittedIsAskedByHisClose() {
        Writer writer = new Writer(1);
        resting.leaves(writer);
        CompletableFuture<Void> all = resting.endAll();
        clock.advance(RestingWriters.LEAVES_WITHIN);
        assertThat(writer.settles).isOne();
        Runnable close = resting.begunUnawaited(writer);
        resting.left(writer.id());
        close.run();
        writer.settled.completeExceptionally(new FarmException(ErrorKind.STALE, "commit", ""));
        assertThat(all).as("the close is under way").isNotDone();
        writer.committed.complete(null);
        assertThat(all).isCompleted();
    }

    @Test
    void commitsBeginTogetherOrWhenSomebodyWantsOne() {
        Writer first = new Writer(1, 10);
        Writer second = new Writer(2, 11);
        List<CompletableFuture<Void>> closes = new ArrayList<>();
        for (Writer writer : List.of(first, second)) {
            resting.leavesToCommit(writer);
            Supplier<CompletableFuture<Void>> close = resting.begunLeaving(writer, true);
            resting.left(writer.id());
            closes.add(close.get());
        }
        assertThat(List.of(first.closes, second.closes)).containsExactly(0, 0);
        assertThat(resting.endToOpen(1)).isCompleted();
        assertThat(List.of(first.closes, second.closes)).containsExactly(0, 0);
        CompletableFuture<Void> change = resting.closing(new long[] {2});
        assertThat(List.of(first.closes, second.closes)).containsExactly(1, 1);
        second.committed.complete(null);
        assertThat(change).isCompleted();
        assertThat(closes.get(1)).isCompleted();
        assertThat(closes.get(0)).isNotDone();
        first.committed.completeExceptionally(new FarmException(ErrorKind.TIMED_OUT, "commit", ""));
        assertThat(closes.get(0)).isCompletedExceptionally();
    }

    @Test
    void commitsThatNobodyWantsBeginAfterAMoment() {
        Writer writer = new Writer(1);
        resting.leavesToCommit(writer);
        CompletableFuture<Void> closed = resting.begunLeaving(writer, true).get();
        clock.advance(Gathering.WITHIN.minusNanos(1));
        assertThat(writer.closes).isZero();
        clock.advance(Duration.ofNanos(1));
        assertThat(writer.closes).isOne();
        writer.committed.complete(null);
        assertThat(closed).isCompleted();
    }

    @Test
    void ofTwoClosesOfAFileBothAreWaitedFor() {
        Writer first = new Writer(1);
        Writer second = new Writer(1);
        resting.begunUnawaited(first).run();
        resting.begunUnawaited(second).run();
        CompletableFuture<Void> ended = resting.end(1);
        second.committed.complete(null);
        assertThat(ended).isNotDone();
        assertThat(resting.end(1)).isNotDone();
        first.committed.complete(null);
        assertThat(ended).isCompleted();
        assertThat(resting.closing(new long[] {1})).isNull();
    }

    /** Between the clock and the close a recall would find neither. */
    @Test
    void whatHasRestedForAWhileIsFoundUntilItIsBeingClosed() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        clock.advance(RestingWriters.RESTS);
        assertThat(writer.closes).isEqualTo(1);
        assertThat(resting.end(1)).isNotDone();
        writer.committed.complete(null);
        assertThat(resting.end(1)).isCompleted();
    }

    /** A recall has to be answered in time, whatever a node does. */
    @Test
    void whoHasNoTimeLeftEndsItAndDoesNotWait() {
        Writer writer = new Writer(1);
        resting.add(writer, VERSION);
        assertThat(resting.end(1, Duration.ofSeconds(-1))).isCompleted();
        assertThat(writer.closes).isEqualTo(1);
        resting.leaves(new Writer(2, 20));
        CompletableFuture<Void> ended = resting.end(2, Duration.ofMillis(100));
        clock.advance(Duration.ofMillis(100));
        assertThat(ended).isCompleted();
    }
}
