package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Access;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

class AccessTimesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long NOW = 1_000_000 * SECOND;

    private final SimClock clock = new SimClock(Instant.ofEpochSecond(1_000_000));
    private final List<Access> told = new ArrayList<>();
    private @Nullable Attributes leased;
    private CompletableFuture<Attributes> answer = new CompletableFuture<>();
    private AccessTimes times = new AccessTimes(metadata(), clock, Set.of());

    /** Knows the leased attributes and hears of accesses; nothing else is asked of it. */
    private Metadata metadata() {
        return (Metadata)
                Proxy.newProxyInstance(
                        Metadata.class.getClassLoader(),
                        new Class<?>[] {Metadata.class},
                        (_, method, arguments) ->
                                switch (method.getName()) {
                                    case "leasedAttributes" -> leased;
                                    case "attributes" ->
                                            answer.thenApply(a -> new Found(a, false, false));
                                    case "accessed" -> {
                                        for (Object one : (Collection<?>) arguments[0]) {
                                            told.add((Access) one);
                                        }
                                        yield CompletableFuture.completedFuture(null);
                                    }
                                    default -> throw new AssertionError(method.getName());
                                });
    }

    private static Attributes file(long accessed, long changed) {
        return Attributes.newBuilder()
                .setInode(7)
                .setVersion(3)
                .setAtime(accessed)
                .setMtime(changed)
                .setCtime(changed)
                .build();
    }

    @Test
    void theFirstReadingAfterAChangeIsShownAtOnceAndToldOnce() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        times.read(file);
        times.read(file);
        assertThat(times.of(file)).isEqualTo(NOW);
        assertThat(told).isEmpty();
        clock.advance(Duration.ofSeconds(2));
        assertThat(told)
                .containsExactly(
                        Access.newBuilder()
                                .setInode(7)
                                .setTime(NOW)
                                .setBefore(file.getAtime())
                                .build());
        assertThat(times.of(file)).as("the farm knows it now").isEqualTo(file.getAtime());
    }

    @Test
    void whatWasReadSinceItsLastChangeIsReadAgainWithoutATrace() {
        times.read(file(NOW - SECOND, NOW - 2 * SECOND));
        clock.advance(Duration.ofSeconds(2));
        assertThat(told).isEmpty();
        assertThat(times.wouldMove(file(NOW - SECOND, NOW - 2 * SECOND))).isFalse();
    }

    @Test
    void afterADayItMovesAnyhow() {
        long dayBefore = NOW - Duration.ofHours(25).toNanos();
        times.read(file(dayBefore, dayBefore - SECOND));
        assertThat(times.of(file(dayBefore, dayBefore - SECOND))).isEqualTo(NOW);
    }

    @Test
    void whatIsLeasedIsNewerThanWhatWasKnownAtTheOpening() {
        Attributes newer = file(NOW - SECOND, NOW - 2 * SECOND);
        leased = newer;
        times.read(file(NOW - 9 * SECOND, NOW - 9 * SECOND));
        assertThat(times.of(newer)).isEqualTo(newer.getAtime());
    }

    @Test
    void aChangeByAClockThatIsAheadIsBeforeTheReading() {
        long ahead = NOW + SECOND;
        times.read(file(ahead, ahead));
        assertThat(times.of(file(ahead, ahead))).isEqualTo(ahead + 1);
        assertThat(times.wouldMove(file(ahead, ahead))).isFalse();
        long tomorrow = NOW + Duration.ofHours(24).toNanos(); // somebody has set it so
        times.forget(7);
        times.read(file(NOW - SECOND, tomorrow));
        assertThat(times.of(file(NOW - SECOND, tomorrow))).isEqualTo(NOW);
    }

    @Test
    void whatSomebodySetsIsNotOverwritten() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        times.read(file);
        times.forget(7);
        assertThat(times.of(file)).isEqualTo(file.getAtime());
        clock.advance(Duration.ofSeconds(2));
        assertThat(told).isEmpty();
    }

    /** Its modification time, say, which `touch -m` sets just after the file was read. */
    @Test
    void whatSomebodyChangesOtherwiseLeavesTheReading() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        times.read(file);
        Attributes changed = file.toBuilder().setVersion(4).setMtime(NOW - 9 * SECOND).build();
        assertThat(times.of(changed)).isEqualTo(NOW);
        Attributes set = file.toBuilder().setVersion(4).setAtime(NOW - 9 * SECOND).build();
        assertThat(times.of(set)).as("set elsewhere").isEqualTo(set.getAtime());
    }

    @Test
    void ofDirectoriesThatAreOwnTheFarmIsToldWhenTheyAreNotAnyMore() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        times.stayWhere(inode -> inode == 7);
        times.read(file);
        clock.advance(Duration.ofSeconds(5));
        assertThat(told).isEmpty();
        assertThat(times.of(file)).isEqualTo(NOW);
        times.stayWhere(inode -> false);
        assertThat(times.tell()).isCompleted();
        assertThat(told).hasSize(1);
    }

    @Test
    void whatIsNotHeldIsAskedBeforeItsReadingIsOver() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        for (LongFunction<CompletableFuture<?>> way :
                List.<LongFunction<CompletableFuture<?>>>of(times::listed, times::followed)) {
            answer = new CompletableFuture<>();
            CompletableFuture<?> read = way.apply(7);
            assertThat(read).isNotDone();
            answer.complete(file);
            assertThat(read).isCompleted();
            assertThat(times.of(file)).isEqualTo(NOW);
            times.forget(7);
        }
        answer =
                CompletableFuture.failedFuture(
                        new FarmException(ErrorKind.UNAVAILABLE, "stat", ""));
        assertThat(times.listed(7)).as("reading goes on").isCompleted();
    }

    @Test
    void mountsThatDoNotWantItMoveNothing() {
        Attributes file = file(NOW - 5 * SECOND, NOW - 5 * SECOND);
        leased = file;
        for (MountFlag flag : List.of(MountFlag.NO_ATIME, MountFlag.READ_ONLY)) {
            times = new AccessTimes(metadata(), clock, Set.of(flag));
            times.read(file);
            times.listed(7);
            assertThat(times.of(file)).isEqualTo(file.getAtime());
        }
        times = new AccessTimes(metadata(), clock, Set.of(MountFlag.NO_DIR_ATIME));
        times.listed(7);
        assertThat(times.of(file)).isEqualTo(file.getAtime());
        times.read(file);
        assertThat(times.of(file)).isEqualTo(NOW);
    }
}
