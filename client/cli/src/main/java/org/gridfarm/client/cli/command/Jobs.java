package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.JobReply;
import org.gridfarm.protocol.wire.JobRequest;
import org.gridfarm.protocol.wire.ListJobsRequest;
import org.gridfarm.protocol.wire.TaskInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "jobs",
        header = "Shows jobs and their tasks.",
        description = {
            "",
            "Of each task: state, node, whether its input was there (local, rack, remote), and why it waits or failed."
        },
        mixinStandardHelpOptions = true)
public final class Jobs implements Callable<Integer> {
    private static final double MILLIS = 1e3;
    private static final int PERCENT = 100;

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-a", "--all"},
            description = "also the newest 200 that have ended; gf job show knows older ones")
    private boolean all;

    @Option(
            names = {"-t", "--tasks"},
            description = "each task")
    private boolean tasks;

    @Option(names = "--cancel", description = "end the jobs named")
    private boolean cancel;

    @Parameters(paramLabel = "JOB", arity = "0..*", description = "only these, with their tasks")
    private List<Long> ids = List.of();

    @Override
    public Integer call() {
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf jobs")) {
            SchedulerLine scheduler = new SchedulerLine(farm, config.schedulers());
            if (cancel) {
                ids.forEach(id ->
                        scheduler.call(
                                SchedulerMethods.CANCEL,
                                CancelJobRequest.newBuilder().setJob(id).build()));
                return 0;
            }
            List<Long> wanted = ids;
            if (ids.isEmpty()) {
                wanted =
                        scheduler
                                .call(
                                        SchedulerMethods.LIST,
                                        ListJobsRequest.newBuilder()
                                                .setAll(all || options.json)
                                                .build())
                                .getJobsList()
                                .stream()
                                .map(JobInfo::getId)
                                .toList();
            }
            show(scheduler, wanted, tasks || options.json || !ids.isEmpty(), options.json);
        }
        return 0;
    }

    static void show(SchedulerLine scheduler, List<Long> wanted, boolean withTasks, boolean json) {
        List<Map<String, Object>> documents = new ArrayList<>();
        Output.Table table =
                Output.table(
                        "JOB", "USER", "STATE", "TASKS", "RUNNING", "DONE", "FAILED", "LOCAL",
                        "NAME", "WAITING");
        Output.Table details =
                Output.table(
                        "TASK",
                        "STATE",
                        "NODE",
                        "INPUT",
                        "EXIT",
                        "WAIT",
                        "TIME",
                        "CPU",
                        "MEMORY",
                        "ARGUMENT",
                        "REASON");
        List<JobInfo> ended = new ArrayList<>();
        for (long id : wanted) {
            List<TaskInfo> found = new ArrayList<>();
            JobInfo job = fetch(scheduler, id, withTasks, found);
            if (job.getEnded() > 0) {
                ended.add(job);
            }
            if (json) {
                Map<String, Object> document = new LinkedHashMap<>(document(job));
                document.put("tasks", found.stream().map(Jobs::document).toList());
                documents.add(document);
            } else {
                table.row(
                        job.getId(),
                        job.getUser(),
                        job.getState(),
                        job.getTasks(),
                        job.getRunning(),
                        job.getSucceeded(),
                        job.getFailed(),
                        job.getLocalTasks(),
                        job.getName(),
                        job.getWaiting());
                found.forEach(t ->
                        details.row(
                                job.getId() + "." + (t.getIndex() + 1),
                                t.getState(),
                                t.getNode(),
                                t.getLocality(),
                                t.getExitCode(),
                                seconds(waited(t)),
                                seconds(took(t)),
                                seconds(cpu(t)),
                                Output.bytes(t.getUsage().getMemoryPeak()),
                                NameText.of(t.getArgument().toByteArray()),
                                reason(t)));
            }
        }
        if (json) {
            Output.json(Map.of("jobs", documents));
        } else {
            table.print();
            if (withTasks) {
                System.out.println();
                details.print();
                ended.forEach(job -> System.out.println(summary(job)));
            }
        }
    }

    /** Why it waits or failed, and what became of its other attempt. */
    private static String reason(TaskInfo task) {
        String other =
                task.hasSecond()
                        ? "attempt %d runs on %s as well"
                                .formatted(
                                        task.getSecond().getAttempts(), task.getSecond().getNode())
                        : task.getSuperseded();
        return task.getReason().isEmpty() || other.isEmpty()
                ? task.getReason() + other
                : task.getReason() + "; " + other;
    }

    /** From being queued to its start, in milliseconds. */
    private static long waited(TaskInfo task) {
        return task.getStarted() == 0 ? 0 : Math.max(0, task.getStarted() - task.getQueued());
    }

    /** From its start to its end, in milliseconds. */
    private static long took(TaskInfo task) {
        return Math.max(0, task.getEnded() - task.getStarted());
    }

    private static long cpu(TaskInfo task) {
        return Math.round(task.getUsage().getCpuMicros() / MILLIS);
    }

    static String seconds(long millis) {
        return String.format(Locale.ROOT, millis < 100_000 ? "%.2fs" : "%.0fs", millis / MILLIS);
    }

    static JobInfo fetch(SchedulerLine scheduler, long id, boolean withTasks, List<TaskInfo> into) {
        while (true) {
            JobReply reply =
                    scheduler.call(
                            SchedulerMethods.JOB,
                            JobRequest.newBuilder()
                                    .setJob(id)
                                    .setFromTask(into.size())
                                    .setLimit(withTasks ? 0 : 1)
                                    .build());
            if (withTasks) {
                into.addAll(reply.getTasksList());
            }
            if (!withTasks || reply.getEnd()) {
                return reply.getJob();
            }
        }
    }

    /** What came of it, in one line. */
    static String summary(JobInfo job) {
        double seconds = Math.max(0, job.getEnded() - job.getSubmitted()) / MILLIS;
        long read = job.getInputBytesLocal() + job.getInputBytesRemote();
        return String.format(
                Locale.ROOT,
                "job %d: %d tasks, %d succeeded, %d failed, %d cancelled in %.1f s (%.1f/s)%s; cpu %s%s",
                job.getId(),
                job.getTasks(),
                job.getSucceeded(),
                job.getFailed(),
                job.getCancelled(),
                seconds,
                job.getTasks() / Math.max(seconds, 1 / MILLIS),
                read == 0
                        ? ""
                        : ", %d %% of %s input read where it lay"
                                .formatted(
                                        job.getInputBytesLocal() * PERCENT / read,
                                        Output.bytes(read)),
                seconds(Math.round(job.getCpuMicros() / MILLIS)),
                job.getMemoryPeak() == 0
                        ? "" // nobody has looked
                        : ", most memory " + Output.bytes(job.getMemoryPeak()));
    }

    static Map<String, Object> document(JobInfo job) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("job", job.getId());
        document.put("name", job.getName());
        document.put("user", job.getUser());
        document.put("state", job.getState());
        document.put("task_count", job.getTasks());
        document.put("pending", job.getPending());
        document.put("running", job.getRunning());
        document.put("succeeded", job.getSucceeded());
        document.put("failed", job.getFailed());
        document.put("cancelled", job.getCancelled());
        document.put("local_tasks", job.getLocalTasks());
        document.put("input_bytes_local", job.getInputBytesLocal());
        document.put("input_bytes_remote", job.getInputBytesRemote());
        document.put("waiting", job.getWaiting());
        document.put("held_by", job.getHeldBy());
        document.put("cpu_ms", Math.round(job.getCpuMicros() / MILLIS));
        document.put("memory_peak_bytes", job.getMemoryPeak());
        document.put("wall_ms", job.getWallMillis());
        document.put("wait_ms", job.getWaitMillis());
        document.put("second_attempts", job.getSecondAttempts());
        document.put("second_won", job.getSecondWon());
        document.put("submitted_ms", job.getSubmitted());
        document.put("started_ms", job.getStarted());
        document.put("ended_ms", job.getEnded());
        return document;
    }

    static Map<String, Object> document(TaskInfo task) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("task", task.getIndex() + 1);
        document.put("index", task.getIndex());
        document.put("argument", NameText.of(task.getArgument().toByteArray()));
        document.put("state", task.getState());
        document.put("node", task.getNode());
        document.put("locality", task.getLocality());
        document.put("input_was_there", task.getLocality().equals("local"));
        document.put("input_bytes", task.getInputBytes());
        document.put("input_bytes_local", task.getInputBytesLocal());
        document.put("exit_code", task.getExitCode());
        document.put("signal", task.getSignal());
        document.put("attempts", task.getAttempts());
        document.put("queued_ms", task.getQueued());
        document.put("started_ms", task.getStarted());
        document.put("ended_ms", task.getEnded());
        document.put("wait_ms", waited(task));
        document.put("wall_ms", took(task));
        document.put("cpu_ms", cpu(task));
        document.put("memory_peak_bytes", task.getUsage().getMemoryPeak());
        document.put("input_bytes_remote", task.getInputBytes() - task.getInputBytesLocal());
        document.put("read_bytes", task.getUsage().getReadBytes());
        document.put("written_bytes", task.getUsage().getWrittenBytes());
        document.put("gpus", List.copyOf(task.getGpusList()));
        document.put("stdout_bytes", task.getStdoutBytes());
        document.put("stderr_bytes", task.getStderrBytes());
        document.put("reason", reason(task));
        return document;
    }
}
