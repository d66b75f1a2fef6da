package org.gridfarm.metaserver.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.metaserver.memory.MemoryStore;
import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/** In steps of a clock of its own; the database answers when the test says so. */
class TenureTest {
    private static final long SHORT = Duration.ofMillis(50).toNanos();
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final MemoryStore store = new MemoryStore();
    private final Queue<Runnable> questions = new ArrayDeque<>();
    private final AtomicInteger deposed = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private boolean answers = true;
    private final SimClock clock = new SimClock();
    private boolean defect;
    private Tenure tenure;

    @BeforeEach
    void lead() {
        long epoch = store.claim("ms1").epoch();
        tenure =
                new Tenure(
                        asked(),
                        epoch,
                        clock.nanoTime(),
                        clock,
                        questions::add,
                        Runnable::run,
                        deposed::incrementAndGet);
    }

    private JournalStore asked() {
        return (JournalStore)
                Proxy.newProxyInstance(
                        JournalStore.class.getClassLoader(),
                        new Class<?>[] {JournalStore.class},
                        (proxy, method, arguments) -> {
                            if (defect) throw new IllegalStateException("planted");
                            if (!answers)
                                throw new StoreException("no answer", new java.io.IOException());
                            try {
                                return method.invoke(store, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void pass(Duration time) {
        long end = clock.nanoTime() + time.toNanos();
        while (clock.nanoTime() < end) {
            clock.advance(Duration.ofNanos(SHORT));
            tenure.look();
        }
    }

    private void call() {
        tenure.run(ran::incrementAndGet);
    }

    private void answerAll() {
        while (!questions.isEmpty()) questions.remove().run();
    }

    @Test
    void whoRunsAndIsElectedWaitsForNoAnswer() {
        pass(Duration.ofSeconds(60));
        call();
        assertThat(ran).hasValue(1);
        assertThat(tenure.left(LEASE)).isEqualTo(LEASE);
    }

    @Test
    void whoRunsAndIsElectedGoesOnWithoutAnAnswer() {
        answers = false;
        for (int i = 0; i < 100; i++) {
            pass(Tenure.ASK_EVERY);
            answerAll();
        }
        call();
        assertThat(ran).hasValue(1);
        assertThat(deposed).hasValue(0);
    }

    @Test
    void itIsKnownHowLongTheDatabaseHasBeenSilent() {
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(tenure.silence()).isLessThan(Tenure.ASK_EVERY);
        answers = false;
        for (int i = 0; i < 20; i++) {
            pass(Tenure.ASK_EVERY);
            answerAll();
        }
        assertThat(tenure.silence()).isGreaterThanOrEqualTo(Tenure.ASK_EVERY.multipliedBy(20));
        answers = true;
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(tenure.silence()).isLessThan(Tenure.ASK_EVERY);
    }

    @Test
    void whomADefectKeepsFromAskingAsksAgain() {
        defect = true;
        pass(Tenure.ASK_EVERY);
        answerAll();
        defect = false;
        store.claim("ms2");
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(deposed).hasValue(1);
    }

    /** Of one that was elected before, and stopped before it claimed it. */
    @Test
    void anotherEpochEndsItThoughItIsElected() {
        pass(Duration.ofSeconds(60));
        answerAll();
        store.claim("ms2");
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(deposed).hasValue(1);
    }

    @Test
    void afterAStallCallsWaitForTheDatabase() {
        clock.advance(ServerLimits.STALL_MAX);
        call();
        assertThat(ran).hasValue(0);
        answerAll();
        assertThat(ran).hasValue(1);
    }

    @Test
    void anAnswerThatWasLongOnItsWayIsAskedForAgain() {
        clock.advance(ServerLimits.STALL_MAX);
        call();
        Runnable old = questions.remove();
        clock.advance(ServerLimits.STALL_MAX);
        old.run();
        assertThat(ran).hasValue(0);
        tenure.look();
        answerAll();
        assertThat(ran).hasValue(1);
    }

    @Test
    void afterAStallNoAnswerEndsIt() {
        answers = false;
        clock.advance(ServerLimits.STALL_MAX);
        call();
        answerAll();
        assertThat(deposed).hasValue(1);
        assertThat(ran).hasValue(0);
    }

    @Test
    void unelectedItLeadsOnWhileTheDatabaseSaysSo() {
        tenure.lost();
        call();
        assertThat(ran).as("before it is confirmed").hasValue(0);
        answerAll();
        assertThat(ran).hasValue(1);
        for (int i = 0; i < 100; i++) {
            pass(Tenure.ASK_EVERY);
            call();
            assertThat(ran).hasValue(i + 2);
            assertThat(tenure.left(LEASE)).isLessThan(LEASE).isGreaterThan(Duration.ofSeconds(1));
            answerAll();
        }
        assertThat(deposed).hasValue(0);
    }

    @Test
    void unelectedAndWithoutAnswerCallsWait() {
        tenure.lost();
        answerAll();
        answers = false;
        pass(ServerLimits.STALL_MAX);
        answerAll();
        call();
        assertThat(ran).hasValue(0);
        assertThat(tenure.isDoubtful()).isTrue();
        assertThat(tenure.left(LEASE)).isLessThanOrEqualTo(LEASE.minus(ServerLimits.STALL_MAX));
        answers = true;
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(ran).hasValue(1);
        assertThat(deposed).hasValue(0);
    }

    @Test
    void anotherEpochEndsIt() {
        tenure.lost();
        answerAll();
        store.claim("ms2");
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(deposed).hasValue(1);
    }

    @Test
    void electedAgainItIsCertainOfTheNextAnswer() {
        tenure.lost();
        answerAll();
        pass(Tenure.ASK_EVERY); // asked before
        clock.advance(Duration.ofNanos(SHORT));
        tenure.elected();
        answerAll();
        assertThat(tenure.left(LEASE)).as("somebody may have led between").isLessThan(LEASE);
        pass(Tenure.ASK_EVERY);
        answerAll();
        assertThat(tenure.left(LEASE)).isEqualTo(LEASE);
        pass(Duration.ofSeconds(60));
        call();
        assertThat(ran).hasValue(1);
    }
}
