package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class PlacesTest {
    private static final RawName NAME = RawName.of("name");
    private static final RawName OTHER = RawName.of("other");
    private static final long DIRECTORY = 7;
    private static final int CALLER = 42;

    private final List<String> forgotten = new ArrayList<>();
    private final List<KernelCache.Done> waiting = new ArrayList<>();

    private record Timer(long nanos, Runnable action) {}

    private final AtomicInteger seconds = new AtomicInteger();
    private final List<Timer> timers = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Places places =
            new Places((nanos, action) -> timers.add(new Timer(nanos, action)));

    @BeforeEach
    void start() {
        places.started(
                new KernelCache() {
                    @Override
                    public void forgetEntry(long parent, RawName name, Done done) {
                        forgotten.add(parent + "/" + name);
                        waiting.add(done);
                    }

                    @Override
                    public void expireEntry(long parent, RawName name, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void deleteEntry(long parent, long child, RawName name, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void forgetData(long node, long offset, long length, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void forgetAttributes(long node, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void forgetListing(long directory, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void forgetAllEntries(Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public void recall(long directory, RawName[] names, long[] changed, Done done) {
                        throw new AssertionError();
                    }

                    @Override
                    public boolean busy(long directory) {
                        return false;
                    }
                });
    }

    private boolean makesName;

    private void tell(long parent, RawName name) {
        places.tell(
                CALLER,
                () -> makesName,
                DIRECTORY,
                parent,
                name,
                node -> {
                    assertThat(StandIns.real(node)).isEqualTo(DIRECTORY);
                    told.add((node == DIRECTORY ? "" : "as another ") + parent + "/" + name);
                });
    }

    private void pass(long nanos) {
        List<Timer> over = new ArrayList<>(timers);
        over.removeIf(timer -> timer.nanos > nanos);
        timers.removeAll(over);
        over.forEach(timer -> timer.action.run());
    }

    @Test
    void theFormerPlaceIsForgottenBeforeTheNewOneIsTold() {
        tell(1, NAME);
        tell(1, NAME);
        tell(2, OTHER);
        assertThat(forgotten).containsExactly("1/name");
        assertThat(told).containsExactly("1/name", "1/name");
        waiting.getFirst().done(0);
        assertThat(told).endsWith("2/other").hasSize(3);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).hasSize(3);
    }

    @Test
    void whoHoldsTheLocksThatForgettingWaitsForIsTold() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).containsExactly("1/name", "2/name");
        waiting.getFirst().done(0);
        assertThat(told).hasSize(2);
    }

    @Test
    void whoMakesNoSecondAttemptIsToldOfAStandIn() {
        tell(1, NAME);
        makesName = true;
        tell(2, NAME);
        assertThat(told).hasSize(1);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).containsExactly("1/name", "as another 2/name");
    }

    @Test
    void itsSecondAttemptWaitsBeforeItTakesLocks() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        List<String> done = new ArrayList<>();
        places.lookup(CALLER + 1, 1, OTHER, seconds::incrementAndGet, () -> done.add("another's"));
        places.lookup(CALLER, 1, OTHER, seconds::incrementAndGet, () -> done.add("its own"));
        assertThat(done).containsExactly("another's");
        waiting.getFirst().done(0);
        assertThat(done).hasSize(2);
        places.lookup(CALLER, 1, OTHER, seconds::incrementAndGet, () -> done.add("a later one"));
        tell(2, NAME);
        assertThat(done).hasSize(3);
        assertThat(told).hasSize(3);
        assertThat(forgotten).hasSize(1);
    }

    @Test
    void noAttemptWaitsForLong() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        List<String> done = new ArrayList<>();
        places.lookup(CALLER, 1, OTHER, seconds::incrementAndGet, () -> done.add("done"));
        pass(Places.PATIENCE_AGAIN_NANOS);
        assertThat(done).hasSize(1);
    }

    @Test
    void aSecondAttemptThatCannotBeToldEitherGetsAStandIn() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        waiting.removeFirst().done(0);
        places.lookup(CALLER, 1, OTHER, seconds::incrementAndGet, () -> {});
        tell(3, NAME);
        tell(4, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("as another 3/name", "as another 4/name").hasSize(4);
        assertThat(seconds).hasValue(1);
        places.renaming(CALLER);
        tell(5, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("5/name");
    }

    @Test
    void whoAsksForTheSameAgainHoldsTheLocksAndNeedNotWait() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        List<String> done = new ArrayList<>();
        places.lookup(CALLER, 2, NAME, seconds::incrementAndGet, () -> done.add("done"));
        assertThat(done).hasSize(1);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("as another 2/name");
        tell(3, NAME); // the next that it looks for
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("3/name");
    }

    @Test
    void soDoesOneThatWasRefusedForAnotherReason() {
        tell(1, NAME);
        places.again(CALLER);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("as another 2/name");
    }

    @Test
    void whatComesLongAfterARefusalIsAFirstAttempt() {
        tell(1, NAME);
        tell(2, NAME);
        pass(Places.PATIENCE_NANOS);
        places.lookup(CALLER, 1, OTHER, seconds::incrementAndGet, () -> {});
        pass(Places.ATTEMPT_NANOS);
        tell(3, NAME);
        pass(Places.PATIENCE_NANOS);
        assertThat(told).endsWith("3/name");
    }

    @Test
    void standInsAreToldApartFromEveryNumberOfTheFarm() {
        StandIns standIns = new StandIns();
        assertThat(standIns.of(7)).isNotEqualTo(standIns.of(7));
        for (int i = 0; i < 40_000; i++) { // more than there are
            long standIn = standIns.of(DIRECTORY);
            assertThat(standIn).isNotEqualTo(DIRECTORY);
            assertThat(StandIns.real(standIn)).isEqualTo(DIRECTORY);
        }
        for (long node : new long[] {1, (1L << 48) - 1, 1L << 48, -1, 0xFFFF_FFFF_FFFF_0000L}) {
            assertThat(StandIns.real(node)).isEqualTo(node);
        }
        assertThat(standIns.of(1L << 48)).isEqualTo(1L << 48);
    }

    @Test
    void aPlaceThatAnotherMountChangedIsForgottenAtOnce() {
        tell(1, NAME);
        places.changed(1, OTHER);
        places.changed(1, NAME);
        places.changed(1, NAME);
        assertThat(forgotten).containsExactly("1/name");
        waiting.getFirst().done(0);
        tell(2, NAME);
        assertThat(told).containsExactly("1/name", "2/name");
        assertThat(forgotten).hasSize(1);
    }

    @Test
    void anotherNameInTheSameDirectoryNeedsNoOtherLock() {
        tell(1, NAME);
        tell(1, OTHER);
        assertThat(told).containsExactly("1/name", "1/other");
        assertThat(forgotten).isEmpty();
    }

    /** The kernel need not have taken the answer: it may have asked only whether it is right. */
    @Test
    void aFormerNameInTheSameDirectoryIsForgottenWhenItLeavesThat() {
        tell(1, NAME);
        tell(1, OTHER);
        tell(2, NAME);
        assertThat(forgotten).containsExactlyInAnyOrder("1/name", "1/other");
        waiting.getFirst().done(0);
        assertThat(told).hasSize(2);
        waiting.getLast().done(0);
        assertThat(told).endsWith("2/name").hasSize(3);
    }

    @Test
    void noNameIsGivenUpWithoutBeingForgotten() {
        for (int i = 0; i < 10; i++) {
            tell(1, RawName.of("name" + i));
        }
        tell(2, NAME);
        assertThat(forgotten)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 10).mapToObj(i -> "1/name" + i).toList());
    }

    @Test
    void whatTheKernelMovedItselfIsNotForgotten() {
        tell(1, NAME);
        places.moved(places.at(1, NAME), 1, NAME, 2, NAME);
        tell(2, NAME);
        assertThat(told).hasSize(2);
        assertThat(forgotten).isEmpty();
    }

    /** And not what the server moved, of which the name was by then. */
    @Test
    void theKernelMovesWhatItBelievedToBeThere() {
        tell(1, NAME);
        places.changed(1, NAME); // which waits for the rename
        long believed = places.at(1, NAME);
        places.moved(believed, 1, NAME, 2, NAME);
        waiting.removeFirst().done(0);
        tell(3, NAME);
        assertThat(forgotten).containsExactly("1/name", "2/name");
    }

    @Test
    void anExchangeMovesBoth() {
        tell(1, NAME);
        places.tell(CALLER, () -> false, 8, 2, OTHER, _ -> {});
        long source = places.at(1, NAME);
        long target = places.at(2, OTHER);
        places.moved(source, 1, NAME, 2, OTHER);
        places.moved(target, 2, OTHER, 1, NAME);
        assertThat(places.at(1, NAME)).isEqualTo(8);
        assertThat(places.at(2, OTHER)).isEqualTo(DIRECTORY);
    }

    @Test
    void aNameThatIsToldAgainWhileItIsForgottenStaysKnown() {
        tell(1, NAME);
        places.changed(1, NAME);
        tell(1, NAME);
        waiting.getFirst().done(0);
        assertThat(places.at(1, NAME)).isEqualTo(DIRECTORY);
    }

    /** The kernel may take notice of the other answer later. */
    @Test
    void aNameThatLeadsToSomethingElseByNowIsForgotten() {
        tell(1, NAME);
        places.tell(CALLER, () -> false, 8, 1, NAME, _ -> {});
        assertThat(forgotten).containsExactly("1/name");
        tell(2, NAME);
        assertThat(told).hasSize(1);
        waiting.removeFirst().done(0);
        assertThat(told).endsWith("2/name").hasSize(2);
        places.changed(2, NAME);
        assertThat(forgotten).endsWith("2/name").hasSize(2);
        tell(3, NAME);
        assertThat(told).hasSize(2);
        waiting.removeFirst().done(0);
        assertThat(told).endsWith("3/name");
        assertThat(places.at(1, NAME)).isEqualTo(8);
    }

    @Test
    void whatThisMountRemovedIsNotForgotten() {
        tell(1, NAME);
        places.removed(1, NAME);
        places.changed(1, NAME);
        assertThat(forgotten).isEmpty();
    }

    @Test
    void whatWasListedMayBeKnownAtEitherPlace() {
        tell(1, NAME);
        places.listed(DIRECTORY, 2, NAME);
        tell(3, NAME);
        assertThat(forgotten).containsExactlyInAnyOrder("1/name", "2/name");
        waiting.getFirst().done(0);
        assertThat(told).hasSize(1);
        waiting.getLast().done(0);
        assertThat(told).hasSize(2);
    }
}
