package org.gridfarm.metaserver.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.metaserver.session.Tally;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.junit.jupiter.api.Test;

import java.util.List;

class LockTableTest {
    private static final long FILE = 7;

    private final LockTable table = new LockTable();

    private static LockRequest lock(long session, LockKind kind, long start, long end) {
        return LockRequest.newBuilder()
                .setSession(session)
                .setOwner(100 + session)
                .setPid((int) session)
                .setInode(FILE)
                .setKind(kind)
                .setStart(start)
                .setEnd(end)
                .build();
    }

    private static LockRequest exclusive(long session, long start, long end) {
        return lock(session, LockKind.EXCLUSIVE_LOCK, start, end);
    }

    private static LockRequest shared(long session, long start, long end) {
        return lock(session, LockKind.SHARED, start, end);
    }

    private static LockRequest unlock(long session, long start, long end) {
        return lock(session, LockKind.UNLOCK, start, end);
    }

    private static LockRequest waiting(LockRequest request) {
        return request.toBuilder().setWait(true).build();
    }

    private static LockRequest flock(long session, LockKind kind) {
        return lock(session, kind, 0, 0).toBuilder().setFlock(true).build();
    }

    private void grant(LockRequest request) {
        assertThat(table.request(request)).isInstanceOf(LockOutcome.Granted.class);
    }

    private long queue(LockRequest request) {
        return ((LockOutcome.Queued) table.request(waiting(request))).ticket();
    }

    private List<Long> released(LockRequest request) {
        return ((LockOutcome.Granted) table.request(request)).released();
    }

    @Test
    void readersShareAndAWriterIsToldWhoIsInTheWay() {
        grant(shared(1, 0, 9));
        grant(shared(2, 5, 20));
        assertThat(table.request(exclusive(3, 8, 8)))
                .isEqualTo(new LockOutcome.Conflict(shared(1, 0, 9)));
        assertThat(table.test(exclusive(3, 15, 30))).isEqualTo(shared(2, 5, 20));
        assertThat(table.test(exclusive(3, 21, 30))).isNull();
    }

    @Test
    void unlockingTheMiddleLeavesBothEnds() {
        grant(exclusive(1, 0, 99));
        grant(unlock(1, 40, 59));
        assertThat(table.held(FILE)).containsExactly(exclusive(1, 0, 39), exclusive(1, 60, 99));
        grant(exclusive(2, 40, 59));
    }

    @Test
    void neighbouringRangesOfOneKindBecomeOne() {
        grant(shared(1, 0, 9));
        grant(shared(1, 20, 29));
        grant(shared(1, 10, 19));
        assertThat(table.held(FILE)).containsExactly(shared(1, 0, 29));
        grant(exclusive(1, 10, 19));
        assertThat(table.held(FILE))
                .containsExactly(shared(1, 0, 9), exclusive(1, 10, 19), shared(1, 20, 29));
    }

    @Test
    void aLockToTheEndOfTheFileHasNoNeighbourBehindIt() {
        grant(exclusive(1, 10, Long.MAX_VALUE));
        grant(exclusive(1, 0, 9));
        assertThat(table.held(FILE)).containsExactly(exclusive(1, 0, Long.MAX_VALUE));
        assertThat(table.request(exclusive(2, Long.MAX_VALUE, Long.MAX_VALUE)))
                .isInstanceOf(LockOutcome.Conflict.class);
    }

    @Test
    void anUnlockLetsThroughAllQueuedReadersButNotTheWriterBehindThem() {
        grant(exclusive(1, 0, 9));
        long first = queue(shared(2, 0, 9));
        long second = queue(shared(3, 0, 4));
        long writer = queue(exclusive(4, 0, 9));
        assertThat(released(unlock(1, 0, 9))).containsExactly(first, second);
        assertThat(released(unlock(2, 0, 9))).isEmpty();
        assertThat(released(unlock(3, 0, 9))).containsExactly(writer);
        assertThat(table.waiting()).isZero();
    }

    @Test
    void aWeakerLockLetsReadersThrough() {
        grant(exclusive(1, 0, 9));
        long reader = queue(shared(2, 0, 9));
        assertThat(released(shared(1, 0, 9))).containsExactly(reader);
    }

    @Test
    void twoThatWouldWaitForEachOtherAreADeadlock() {
        grant(exclusive(1, 0, 0));
        grant(exclusive(2, 1, 1));
        queue(exclusive(1, 1, 1));
        assertThatThrownBy(() -> table.request(waiting(exclusive(2, 0, 0))))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.DEADLOCK));
    }

    @Test
    void aCircleOfThreeOverTwoFilesIsADeadlock() {
        grant(exclusive(1, 0, 0));
        grant(exclusive(2, 1, 1));
        grant(exclusive(3, 0, 0).toBuilder().setInode(8).build());
        queue(exclusive(1, 1, 1));
        queue(exclusive(2, 0, 0).toBuilder().setInode(8).build());
        assertThatThrownBy(() -> table.request(waiting(exclusive(3, 0, 0))))
                .isInstanceOf(FarmException.class);
        assertThat(table.request(exclusive(3, 0, 0))).isInstanceOf(LockOutcome.Conflict.class);
    }

    @Test
    void waitingInALineIsNoDeadlock() {
        grant(exclusive(1, 0, 0));
        queue(exclusive(2, 0, 0));
        queue(exclusive(3, 0, 0));
        assertThat(table.waiting()).isEqualTo(2);
    }

    @Test
    void aCancelledRequestIsNeverGranted() {
        grant(exclusive(1, 0, 0));
        long ticket = queue(exclusive(2, 0, 0));
        assertThat(table.cancel(ticket)).isTrue();
        assertThat(table.cancel(ticket)).isFalse();
        assertThat(released(unlock(1, 0, 0))).isEmpty();
        assertThat(table.isLocked(FILE)).isFalse();
    }

    @Test
    void theEndOfASessionGivesUpItsLocksAndItsPlaceInTheQueue() {
        grant(exclusive(1, 0, 9));
        grant(flock(1, LockKind.EXCLUSIVE_LOCK));
        queue(blockedOnAnotherFile());
        long second = queue(exclusive(2, 0, 9));
        long third = queue(flock(3, LockKind.SHARED));
        assertThat(table.endSession(1)).containsExactlyInAnyOrder(second, third);
        assertThat(table.waiting()).isZero();
    }

    @Test
    void whenNobodyOfASessionHasTheFileOpenAllItsLocksOnItGo() {
        LockRequest append = exclusive(1, 0, 0).toBuilder().setAppend(true).build();
        grant(exclusive(1, 0, 9));
        grant(exclusive(1, 10, 19).toBuilder().setOwner(77).build());
        grant(flock(1, LockKind.EXCLUSIVE_LOCK));
        grant(append);
        grant(exclusive(1, 0, 0).toBuilder().setInode(8).build());
        long second = queue(exclusive(2, 0, 19));
        long third = queue(flock(3, LockKind.SHARED));
        long fourth = queue(append.toBuilder().setSession(2).build());
        LockRequest all = unlock(1, 0, 0).toBuilder().setAllOwners(true).build();
        assertThat(released(all)).containsExactlyInAnyOrder(second, third);
        assertThat(table.isLocked(8)).isTrue();
        assertThat(table.cancel(fourth)).isTrue();
    }

    private LockRequest blockedOnAnotherFile() {
        grant(exclusive(9, 0, 0).toBuilder().setInode(8).build());
        return exclusive(1, 0, 0).toBuilder().setInode(8).build();
    }

    @Test
    void flockAndFcntlDoNotMeet() {
        grant(exclusive(1, 0, Long.MAX_VALUE));
        grant(flock(2, LockKind.EXCLUSIVE_LOCK));
        assertThat(table.request(flock(3, LockKind.SHARED)))
                .isInstanceOf(LockOutcome.Conflict.class);
    }

    @Test
    void appendersTakeTurnsWhateverProgramsLock() {
        LockRequest one = exclusive(1, 0, 0).toBuilder().setAppend(true).build();
        LockRequest two = exclusive(2, 0, 0).toBuilder().setAppend(true).build();
        grant(exclusive(3, 0, 100));
        grant(flock(3, LockKind.EXCLUSIVE_LOCK));
        grant(one);
        long ticket = queue(two);
        assertThat(released(one.toBuilder().setKind(LockKind.UNLOCK).build()))
                .containsExactly(ticket);
        queue(one);
        assertThat(table.endSession(2)).hasSize(1);
    }

    /** Whoever goes on for a killed process asks for them, so many at a time. */
    @Test
    void aSessionIsToldAllThatItHoldsAndNothingElse() {
        LockRequest elsewhere = shared(1, 5, 6).toBuilder().setInode(FILE - 1).build();
        LockRequest append = exclusive(1, 0, 9).toBuilder().setAppend(true).build();
        LockRequest whole = flock(1, LockKind.SHARED).toBuilder().setEnd(Long.MAX_VALUE).build();
        LockRequest another = exclusive(1, 50, 59).toBuilder().setOwner(7).build();
        List<LockRequest> its =
                List.of(elsewhere, another, exclusive(1, 0, 9), shared(1, 20, 29), append, whole);
        its.reversed().forEach(this::grant);
        grant(flock(2, LockKind.SHARED));
        grant(shared(2, 20, 39));
        queue(exclusive(1, 30, 39));
        LockRequest none = LockRequest.getDefaultInstance();
        assertThat(table.heldBy(1, none, 100)).containsExactlyElementsOf(its);
        assertThat(table.heldBy(1, none, 2)).containsExactlyElementsOf(its.subList(0, 2));
        assertThat(table.heldBy(1, its.get(1), 3)).containsExactlyElementsOf(its.subList(2, 5));
        grant(append.toBuilder().setKind(LockKind.UNLOCK).build());
        assertThat(table.heldBy(1, append, 3)).as("which is gone").containsExactly(whole);
        assertThat(table.heldBy(3, none, 100)).isEmpty();
    }

    @Test
    void twoFlocksRaisedAtOnceDoNotWaitForEachOther() {
        grant(flock(1, LockKind.SHARED));
        grant(flock(2, LockKind.SHARED));
        long first = queue(flock(1, LockKind.EXCLUSIVE_LOCK));
        grant(waiting(flock(2, LockKind.EXCLUSIVE_LOCK)));
        assertThat(released(flock(2, LockKind.UNLOCK))).containsExactly(first);
    }

    @Test
    void aRangeThatEndsBeforeItBeginsIsRefused() {
        assertThatThrownBy(() -> table.request(exclusive(1, 5, 4)))
                .isInstanceOf(FarmException.class);
    }

    /** Compares with an array of bytes in which every byte knows its holders. */
    @Test
    void randomLocksAgreeWithAByteByByteModel() {
        java.util.SplittableRandom random = new java.util.SplittableRandom(42);
        int bytes = 24;
        int sessions = 4;
        int[][] model = new int[sessions][bytes];
        for (int step = 0; step < 20_000; step++) {
            int session = random.nextInt(sessions);
            int start = random.nextInt(bytes);
            int end = start + random.nextInt(bytes - start);
            int kind = random.nextInt(3);
            boolean free = true;
            for (int b = start; b <= end; b++) {
                for (int other = 0; other < sessions; other++) {
                    int held = model[other][b];
                    free &= other == session || held == 0 || kind == 0 || (held == 1 && kind == 1);
                }
            }
            LockOutcome outcome =
                    table.request(lock(session + 1, LockKind.forNumber(kind), start, end));
            assertThat(outcome instanceof LockOutcome.Granted).as("step %d", step).isEqualTo(free);
            if (free) {
                java.util.Arrays.fill(model[session], start, end + 1, kind);
            }
            if (step % 50 == 0) {
                assertSame(model);
            }
        }
    }

    private void assertSame(int[][] model) {
        int[][] seen = new int[model.length][model[0].length];
        for (LockRequest held : table.held(FILE)) {
            for (long b = held.getStart(); b <= held.getEnd(); b++) {
                assertThat(seen[(int) held.getSession() - 1][(int) b]).isZero();
                seen[(int) held.getSession() - 1][(int) b] = held.getKindValue();
            }
        }
        assertThat(seen).isDeepEqualTo(model);
    }

    @Test
    void aSessionMayHoldAndAwaitSoManyAndGivesBackWhatItLikes() {
        Tally tally = new Tally(3, 100);
        LockTable bounded = new LockTable(tally);
        bounded.request(exclusive(1, 0, 99));
        bounded.request(exclusive(1, 200, 299));
        bounded.request(waiting(exclusive(2, 50, 60)));
        bounded.request(waiting(exclusive(2, 52, 60)));
        bounded.request(shared(2, 500, 500));
        assertThatThrownBy(() -> bounded.request(shared(2, 600, 600)))
                .satisfies(
                        e -> assertThat(((FarmException) e).kind()).isEqualTo(ErrorKind.NO_LOCKS));
        bounded.request(unlock(1, 40, 70)); // two of one
        assertThatThrownBy(() -> bounded.request(unlock(1, 240, 250)))
                .hasMessageContaining("3 are all that a session may have");
        assertThatThrownBy(() -> bounded.request(exclusive(1, 800, 800)))
                .hasMessageContaining("no locks available");
        bounded.request(unlock(1, 0, Long.MAX_VALUE));
        bounded.request(exclusive(1, 800, 800));
        assertThat(tally.held(1)).isEqualTo(1);
        bounded.endSession(1);
        bounded.endSession(2);
        assertThat(tally.held(1) + tally.held(2)).isZero();
    }
}
