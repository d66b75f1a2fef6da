package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class KnownTasksTest {
    private final SimClock clock = new SimClock();
    private final KnownTasks<Integer> tasks = new KnownTasks<>(clock);

    private void ended(int number, long bytes) {
        tasks.begin("t" + number, number);
        tasks.end("t" + number, bytes);
    }

    @Test
    void whatRunsIsKnownHoweverLongItRuns() {
        tasks.begin("long", -1);
        clock.advance(Duration.ofDays(1));
        for (int i = 0; i < 2 * KnownTasks.FINISHED_MAX; i++) ended(i, 1);
        assertThat(tasks.find("long")).isEqualTo(-1);
        assertThat(tasks.running()).containsOnlyKeys("long");
        assertThat(tasks.isRunning("long")).isTrue();
        assertThat(tasks.runningCount()).isEqualTo(1);
    }

    @Test
    void anOutcomeIsKeptForAWhile() {
        ended(1, 1);
        assertThat(tasks.runningCount()).isZero();
        clock.advance(KnownTasks.FINISHED_KEPT);
        assertThat(tasks.find("t1")).isEqualTo(1);
        clock.advance(Duration.ofMillis(1));
        assertThat(tasks.find("t1")).isNull();
    }

    @Test
    void ofTooManyThoseGoThatEndedFirst() {
        tasks.begin("early", -1);
        for (int i = 0; i < KnownTasks.FINISHED_MAX; i++) ended(i, 1);
        tasks.end("early", 1);
        assertThat(tasks.find("t0")).isNull();
        assertThat(tasks.find("t1")).isEqualTo(1);
        assertThat(tasks.find("early")).isEqualTo(-1);
        assertThat(tasks.all()).hasSize(KnownTasks.FINISHED_MAX);
    }

    @Test
    void ofTooMuchOutputToo() {
        ended(1, 10);
        ended(2, KnownTasks.FINISHED_BYTES_MAX - 10);
        assertThat(tasks.find("t1")).isEqualTo(1);
        ended(3, 1);
        assertThat(tasks.find("t1")).isNull();
        assertThat(tasks.find("t2")).isEqualTo(2);
    }

    @Test
    void aTaskEndsOnce() {
        ended(1, KnownTasks.FINISHED_BYTES_MAX);
        tasks.end("t1", KnownTasks.FINISHED_BYTES_MAX);
        tasks.end("never begun", KnownTasks.FINISHED_BYTES_MAX);
        assertThat(tasks.find("t1")).isEqualTo(1);
    }
}
