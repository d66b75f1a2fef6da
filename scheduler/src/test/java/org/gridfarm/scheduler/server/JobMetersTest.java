package org.gridfarm.scheduler.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskUsage;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.junit.jupiter.api.Test;

import java.util.List;

class JobMetersTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final JobMeters meters = new JobMeters(registry);

    private static TaskRow row(String user, TaskState state, int attempts) {
        return new TaskRow(
                TaskInfo.newBuilder()
                        .setState(state.word())
                        .setLocality("local")
                        .setAttempts(attempts)
                        .setStarted(1_000)
                        .setEnded(3_500)
                        .setInputBytes(10)
                        .setInputBytesLocal(4)
                        .setUsage(TaskUsage.newBuilder().setCpuMicros(500_000))
                        .build(),
                1,
                user,
                2);
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double ofUser(String name, String user) {
        return registry.get(name).tag("user", user).counter().count();
    }

    @Test
    void whoStandsByShowsNothing() {
        assertEquals(0, gauge("gf.jobs.leading"));
        meters.now(new JobFigures(1, 2, 3, 8, 5));
        assertEquals(1, gauge("gf.jobs.leading"));
        assertEquals(1, gauge("gf.jobs.open"));
        assertEquals(2, gauge("gf.jobs.tasks.waiting"));
        assertEquals(3, gauge("gf.jobs.tasks.running"));
        assertEquals(8, gauge("gf.jobs.slots"));
        assertEquals(5, gauge("gf.jobs.slots.free"));
    }

    @Test
    void tasksCountWhenTheyHaveEndedAndUseSomethingWhenTheyHaveRun() {
        meters.written(
                List.of(
                        row("ann", TaskState.RUNNING, 1),
                        row("ann", TaskState.SUCCEEDED, 1),
                        row("ann", TaskState.CANCELLED, 0)));
        assertEquals(5, ofUser("gf.jobs.slot.seconds", "ann"));
        assertEquals(0.5, ofUser("gf.jobs.cpu.seconds", "ann"));
        assertEquals(4, ofUser("gf.jobs.input.local.bytes", "ann"));
        assertEquals(6, ofUser("gf.jobs.input.remote.bytes", "ann"));
        assertEquals(2, registry.find("gf.jobs.tasks.ended").counters().size());
    }

    @Test
    void thousandsOfUsersAreNotThousandsOfSeries() {
        for (int i = 0; i < 1_000; i++) {
            meters.written(List.of(row("u" + i, TaskState.FAILED, 1)));
        }
        assertEquals(5, ofUser("gf.jobs.slot.seconds", "u499"));
        assertEquals(2_500, ofUser("gf.jobs.slot.seconds", "(others)"));
    }
}
