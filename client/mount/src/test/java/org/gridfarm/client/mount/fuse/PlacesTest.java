package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class PlacesTest {
    private static final RawName NAME = RawName.of("name");
    private static final RawName OTHER = RawName.of("other");
    private static final long DIRECTORY = 7;
    private static final int CALLER = 42;

    private final List<String> forgotten = new ArrayList<>();
    private final List<KernelCache.Done> waiting = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Places places = new Places((nanos, action) -> timers.add(action));

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

    private void tell(long parent, RawName name) {
        places.tell(CALLER, DIRECTORY, parent, name, () -> told.add(parent + "/" + name));
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
        timers.forEach(Runnable::run);
        assertThat(told).hasSize(3);
    }

    @Test
    void whoHoldsTheLocksThatForgettingWaitsForIsTold() {
        tell(1, NAME);
        tell(2, NAME);
        timers.forEach(Runnable::run);
        assertThat(told).containsExactly("1/name", "2/name");
        waiting.getFirst().done(0);
        assertThat(told).hasSize(2);
    }

    @Test
    void itsSecondAttemptWaitsBeforeItTakesLocks() {
        tell(1, NAME);
        tell(2, NAME);
        timers.removeFirst().run();
        List<String> done = new ArrayList<>();
        places.lookup(CALLER + 1, () -> done.add("another's"));
        places.lookup(CALLER, () -> done.add("its own"));
        assertThat(done).containsExactly("another's");
        waiting.getFirst().done(0);
        assertThat(done).hasSize(2);
        places.lookup(CALLER, () -> done.add("a later one"));
        tell(2, NAME);
        assertThat(done).hasSize(3);
        assertThat(told).hasSize(3);
        assertThat(forgotten).hasSize(1);
    }

    @Test
    void noAttemptWaitsForLong() {
        tell(1, NAME);
        tell(2, NAME);
        timers.removeFirst().run();
        List<String> done = new ArrayList<>();
        places.lookup(CALLER, () -> done.add("done"));
        timers.removeFirst().run();
        assertThat(done).hasSize(1);
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

    @Test
    void whatTheKernelMovedItselfIsNotForgotten() {
        tell(1, NAME);
        places.moved(DIRECTORY, 2, NAME);
        tell(2, NAME);
        assertThat(told).hasSize(2);
        assertThat(forgotten).isEmpty();
    }

    @Test
    void aNameThatLeadsToSomethingElseByNowStays() {
        tell(1, NAME);
        places.tell(CALLER, 8, 1, NAME, () -> {});
        tell(2, NAME);
        places.none(2, NAME);
        tell(3, NAME);
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
