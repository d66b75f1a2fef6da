package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.queue.JobStore.JobRow;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Group commit of task states: whatever queued up while the last transaction ran goes out as one,
 * then the callbacks of all of it run. Repeats while the database is away; a scheduler that was
 * deposed ends.
 *
 * <p>Its thread owns the writing; {@link #add} may be called from anywhere.
 */
final class Recorder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Recorder.class);
    private static final int GROUP_MAX = 1_000;
    private static final long RETRY_MILLIS = 500;

    private final Table table;
    private final Consumer<FarmException> deposed;
    private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::work, "gf-recorder");
    private volatile boolean closed;

    /** Rows to write, and what to do when they are durable. */
    record Entry(List<TaskRow> rows, Optional<JobRow> job, Runnable durable) {
        /** These tasks of a job, and how it stands, as of now. */
        static Entry of(List<Task> tasks, Job job, Runnable durable) {
            boolean isNews = job.isDone() || !job.halted().isEmpty();
            return new Entry(
                    tasks.stream()
                            .map(task ->
                                    new TaskRow(
                                            task.row(),
                                            task.finishOrder(),
                                            job.user(),
                                            task.slots()))
                            .toList(),
                    isNews
                            ? Optional.of(new JobRow(job.id(), job.halted(), job.isDone()))
                            : Optional.empty(),
                    durable);
        }
    }

    /** Durable when it returns. */
    interface Table {
        void record(List<TaskRow> rows, List<JobRow> jobs);
    }

    Recorder(Table table, Consumer<FarmException> deposed) {
        this.table = table;
        this.deposed = deposed;
        thread.setDaemon(true);
        thread.start();
    }

    void add(Entry entry) {
        queue.add(entry);
    }

    private void work() {
        List<Entry> group = new ArrayList<>();
        try {
            while (!closed) {
                group.clear();
                group.add(queue.take());
                queue.drainTo(group, GROUP_MAX);
                if (!write(group)) {
                    return;
                }
                group.forEach(Recorder::tell);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        }
    }

    private static void tell(Entry entry) {
        try {
            entry.durable().run();
        } catch (RuntimeException e) {
            log.error("what follows the rows of {} tasks", entry.rows().size(), e);
        }
    }

    private boolean write(List<Entry> group) {
        List<TaskRow> rows = group.stream().flatMap(e -> e.rows().stream()).toList();
        List<JobRow> jobs = group.stream().flatMap(e -> e.job().stream()).toList();
        while (!closed) {
            try {
                table.record(rows, jobs);
                return true;
            } catch (FarmException e) {
                switch (e.kind()) {
                    case UNAVAILABLE -> {
                        log.warn("{}; trying again", e.getMessage());
                        java.util.concurrent.locks.LockSupport.parkNanos(
                                TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
                    }
                    default -> {
                        deposed.accept(e);
                        return false;
                    }
                }
            } catch (RuntimeException e) {
                log.error("{} rows cannot be written", rows.size(), e);
                deposed.accept(FarmException.of(e, "record", "job table"));
                return false;
            }
        }
        return false;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
