package org.gridfarm.metaserver.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(60)
class EventThreadTest {
    private static final int PRODUCERS = 4;
    private static final int ACTIONS = 50_000;

    /** Not synchronised: that is what the event thread is for. */
    private static final class Owned {
        final int[] last = new int[PRODUCERS];
        final List<String> wrong = new ArrayList<>();
        int actions;
        int unfinished; // since the end of the last round
        boolean inside;

        void enter(int producer, int number) {
            if (inside) wrong.add("two at once");
            inside = true;
            if (number != last[producer] + 1) wrong.add(number + " after " + last[producer]);
            last[producer] = number;
            actions++;
            unfinished++;
            inside = false;
        }
    }

    /** Whichever of its threads runs them. */
    @Test
    void actionsRunOneAtATimeAndInTheOrderOfEachThread() throws InterruptedException {
        Owned owned = new Owned();
        AtomicInteger ticks = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(PRODUCERS * ACTIONS);
        try (EventThread events =
                new EventThread(
                        Clock.system(),
                        () -> owned.unfinished = 0,
                        ticks::incrementAndGet,
                        defect -> owned.wrong.add(defect.toString()))) {
            events.start();
            List<Thread> producers = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) {
                int producer = i;
                producers.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    Random random = new Random(producer);
                                    for (int n = 1; n <= ACTIONS; n++) {
                                        int number = n;
                                        Runnable action =
                                                () -> {
                                                    owned.enter(producer, number);
                                                    all.countDown();
                                                };
                                        if (random.nextInt(4) == 0) events.submit(action);
                                        else events.runOrSubmit(action);
                                    }
                                }));
            }
            all.await();
            for (Thread producer : producers) {
                producer.join();
            }
            ticksGoOn(events, ticks);
        }
        assertThat(owned.wrong).isEmpty();
        assertThat(owned.actions).isEqualTo(PRODUCERS * ACTIONS);
        assertThat(owned.unfinished).as("actions after the end of the last round").isZero();
    }

    /** Also while other threads do all the work. */
    private static void ticksGoOn(EventThread events, AtomicInteger ticks) {
        int before = ticks.get();
        while (ticks.get() < before + 3) {
            events.runOrSubmit(() -> {});
        }
    }

    @Test
    void anActionThatHasAnotherRunIsFollowedByIt() throws InterruptedException {
        List<String> ran = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        try (EventThread events =
                new EventThread(Clock.system(), () -> {}, () -> {}, defect -> {})) {
            events.start();
            events.runOrSubmit(() -> {
                events.runOrSubmit(() -> {
                    ran.add("second");
                    done.countDown();
                });
                ran.add("first");
            });
            done.await();
        }
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void nothingRunsBeforeTheStartOrAfterTheEnd() throws InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        EventThread events = new EventThread(Clock.system(), () -> {}, () -> {}, defect -> {});
        events.runOrSubmit(ran::incrementAndGet);
        assertThat(ran).hasValue(0);
        events.start();
        events.submit(started::countDown);
        started.await();
        assertThat(ran).hasValue(1);
        events.close();
        events.runOrSubmit(ran::incrementAndGet);
        assertThat(ran).hasValue(1);
    }
}
