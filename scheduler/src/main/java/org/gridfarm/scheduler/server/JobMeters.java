package org.gridfarm.scheduler.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * What a scheduler shows of jobs: {@code gf_jobs_*}; one that stands by shows 0. Counters begin
 * with the process, {@code gf usage} has what came before. Thread-safe.
 */
public final class JobMeters {
    /** A series for each user; those who come later share one. */
    private static final int USERS_MAX = 500;

    private static final String OTHERS = "(others)";
    private static final double MILLIS = 1e3;
    private static final double MICROS = 1e6;

    private final MeterRegistry registry;
    private final Set<String> users = new HashSet<>(); // guarded by itself
    private volatile JobFigures figures = JobFigures.NONE;
    private volatile boolean isLeading;

    public JobMeters(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder("gf.jobs.leading", this, meters -> meters.isLeading ? 1 : 0)
                .description("1 at the scheduler that leads")
                .register(registry);
        gauge("gf.jobs.open", "Jobs that have not ended", JobFigures::jobs);
        gauge("gf.jobs.tasks.waiting", "Tasks that wait", JobFigures::waiting);
        gauge("gf.jobs.tasks.running", "Tasks that run", JobFigures::running);
        gauge("gf.jobs.slots", "Slots of nodes that may run tasks now", JobFigures::slots);
        gauge("gf.jobs.slots.free", "Slots of these that nothing runs in", JobFigures::free);
    }

    private void gauge(String name, String help, ToIntFunction<JobFigures> figure) {
        Gauge.builder(name, this, meters -> figure.applyAsInt(meters.figures))
                .description(help)
                .register(registry);
    }

    /** It leads from now on. */
    void now(JobFigures latest) {
        isLeading = true;
        figures = latest;
    }

    /** These were written down. */
    void written(List<TaskRow> rows) {
        for (TaskRow row : rows) {
            if (row.hasEnded()) {
                ended(row);
            }
        }
    }

    private void ended(TaskRow row) {
        TaskInfo task = row.info();
        Counter.builder("gf.jobs.tasks.ended")
                .description("Tasks that ended, by how and by where their input lay")
                .tag("state", task.getState())
                .tag("locality", task.getLocality())
                .register(registry)
                .increment();
        if (task.getAttempts() == 0) {
            return;
        }
        String user = user(row.user());
        count("gf.jobs.slot.seconds", "Slots times time", user, row.slotMillis() / MILLIS);
        count(
                "gf.jobs.cpu.seconds",
                "Processor time of tasks",
                user,
                task.getUsage().getCpuMicros() / MICROS);
        long local = task.getInputBytesLocal();
        count("gf.jobs.input.local.bytes", "Input that lay on the task's node", user, local);
        count(
                "gf.jobs.input.remote.bytes",
                "Input that lay elsewhere",
                user,
                Math.max(0, task.getInputBytes() - local));
    }

    private void count(String name, String help, String user, double amount) {
        Counter.builder(name)
                .description(help)
                .tag("user", user)
                .register(registry)
                .increment(amount);
    }

    private String user(String name) {
        synchronized (users) {
            boolean isKnown = users.contains(name) || users.size() < USERS_MAX && users.add(name);
            return isKnown ? name : OTHERS;
        }
    }
}
