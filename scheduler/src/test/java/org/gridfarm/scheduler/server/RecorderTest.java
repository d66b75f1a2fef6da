package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class RecorderTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private Recorder.Entry entry(int index) {
        TaskRow row = new TaskRow(TaskInfo.newBuilder().setIndex(index).build(), 0, "ann", 1);
        return new Recorder.Entry(
                List.of(row), Optional.empty(), () -> seen.add("durable " + index));
    }

    private void write(List<TaskRow> rows) {
        rows.forEach(row -> seen.add("row " + row.info().getIndex()));
    }

    @Test
    void whatQueuedUpDuringACommitSharesTheNextOneAndIsToldAfterIt() throws Exception {
        AtomicInteger commits = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        Recorder.Table table =
                (rows, _) -> {
                    begun.countDown();
                    awaitQuietly(gate);
                    commits.incrementAndGet();
                    write(rows);
                };
        try (Recorder recorder = new Recorder(table, _ -> seen.add("deposed"))) {
            recorder.add(entry(1));
            begun.await();
            recorder.add(entry(2));
            recorder.add(entry(3));
            assertThat(seen).isEmpty();
            gate.countDown();
            await().until(() -> seen.contains("durable 3"));
        }
        assertThat(commits).hasValue(2);
        assertThat(seen)
                .containsExactly("row 1", "durable 1", "row 2", "row 3", "durable 2", "durable 3");
    }

    private static void awaitQuietly(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aDatabaseThatIsAwayIsAskedAgain() {
        AtomicInteger tries = new AtomicInteger();
        Recorder.Table table =
                (rows, _) -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new FarmException(ErrorKind.UNAVAILABLE, "record", "job table");
                    }
                    write(rows);
                };
        try (Recorder recorder = new Recorder(table, _ -> seen.add("deposed"))) {
            recorder.add(entry(1));
            await().until(() -> seen.contains("durable 1"));
        }
        assertThat(seen).containsExactly("row 1", "durable 1");
    }

    @Test
    void aSchedulerThatWasDeposedTellsNobodyAnything() {
        Recorder.Table table =
                (_, _) -> {
                    throw new FarmException(ErrorKind.NOT_LEADER, "record", "jobs");
                };
        try (Recorder recorder = new Recorder(table, _ -> seen.add("deposed"))) {
            recorder.add(entry(1));
            await().until(() -> !seen.isEmpty());
        }
        assertThat(seen).containsExactly("deposed");
    }

    @Test
    void whereWhatFollowsOneFailsTheOthersAreToldAllTheSame() {
        try (Recorder recorder = new Recorder((rows, _) -> write(rows), _ -> {})) {
            recorder.add(
                    new Recorder.Entry(
                            List.of(),
                            Optional.empty(),
                            () -> {
                                throw new IllegalStateException("planted");
                            }));
            recorder.add(entry(1));
            await().until(() -> seen.contains("durable 1"));
        }
    }
}
