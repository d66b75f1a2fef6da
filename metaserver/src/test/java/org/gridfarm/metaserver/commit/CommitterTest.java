package org.gridfarm.metaserver.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.memory.MemoryStore;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** In virtual time; the database loses what the test says. */
class CommitterTest {
    private static final Duration LONG = CommitLimits.RETRY_WAIT.multipliedBy(10);

    private enum Loses {
        NOTHING,
        REQUESTS,
        ANSWERS
    }

    private final SimClock clock = new SimClock();
    private final MemoryStore store = new MemoryStore();
    private final List<Long> durable = new ArrayList<>();
    private final AtomicInteger deposed = new AtomicInteger();
    private Loses appends = Loses.NOTHING;
    private Loses looks = Loses.NOTHING;
    private boolean closed;
    private long epoch;
    private Committer committer;

    private final Worker worker =
            new Worker() {
                @Override
                public void execute(Runnable work) {
                    after(Duration.ofMillis(1), work);
                }

                @Override
                public void after(Duration delay, Runnable work) {
                    if (!closed) clock.after(delay, work);
                }

                @Override
                public void close(Duration patience) {
                    closed = true;
                }
            };

    @BeforeEach
    void lead() {
        epoch = store.claim("ms1").epoch();
        committer = new Committer(losing(), worker, durable::add, deposed::incrementAndGet);
    }

    private JournalStore losing() {
        return (JournalStore)
                Proxy.newProxyInstance(
                        JournalStore.class.getClassLoader(),
                        new Class<?>[] {JournalStore.class},
                        (proxy, method, arguments) -> {
                            Loses loses = method.getName().equals("append") ? appends : looks;
                            if (loses == Loses.REQUESTS) throw lost();
                            try {
                                Object answer = method.invoke(store, arguments);
                                if (loses == Loses.ANSWERS) throw lost();
                                return answer;
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        });
    }

    private static StoreException lost() {
        return new StoreException("lost", null);
    }

    private ChangeBatch batch(long sequence) {
        return ChangeBatch.newBuilder().setEpoch(epoch).setSequence(sequence).build();
    }

    @Test
    void batchesBecomeDurableInOrder() {
        committer.commit(batch(1));
        committer.commit(batch(2));
        clock.advance(LONG);
        assertThat(durable).containsExactly(1L, 2L);
    }

    @Test
    void whatWasWrittenAndNotAnsweredIsFoundAndNotWrittenAgain() {
        appends = Loses.ANSWERS;
        looks = Loses.ANSWERS;
        committer.commit(batch(1));
        clock.advance(LONG);
        assertThat(durable).isEmpty();
        looks = Loses.NOTHING;
        clock.advance(LONG);
        assertThat(durable).containsExactly(1L);
        assertThat(deposed).hasValue(0);
    }

    @Test
    void whatDidNotArriveIsWrittenAgain() {
        appends = Loses.REQUESTS;
        committer.commit(batch(1));
        clock.advance(LONG);
        assertThat(store.epochOf(1)).isEqualTo(-1);
        assertThat(durable).isEmpty();
        appends = Loses.NOTHING;
        clock.advance(LONG);
        assertThat(durable).containsExactly(1L);
    }

    @Test
    void anotherLeadersBatchInItsPlaceEndsTheTerm() {
        appends = Loses.REQUESTS;
        committer.commit(batch(1));
        clock.advance(LONG);
        long other = store.claim("ms2").epoch();
        store.append(ChangeBatch.newBuilder().setEpoch(other).setSequence(1).build());
        clock.advance(LONG);
        assertThat(durable).isEmpty();
        assertThat(deposed).hasValue(1);
        committer.commit(batch(2));
        clock.advance(LONG);
        assertThat(durable).isEmpty();
        assertThat(deposed).hasValue(1);
    }

    @Test
    void whoIsFencedIsToldOnce() {
        store.claim("ms2");
        committer.commit(batch(1));
        clock.advance(LONG);
        assertThat(durable).isEmpty();
        assertThat(deposed).hasValue(1);
    }

    @Test
    void nothingIsWrittenAfterTheEnd() {
        appends = Loses.REQUESTS;
        committer.commit(batch(1));
        clock.advance(LONG);
        committer.close();
        appends = Loses.NOTHING;
        clock.advance(LONG);
        assertThat(store.epochOf(1)).isEqualTo(-1);
        assertThat(deposed).hasValue(0);
    }
}
