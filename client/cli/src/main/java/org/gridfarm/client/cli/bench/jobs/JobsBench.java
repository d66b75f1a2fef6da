package org.gridfarm.client.cli.bench.jobs;

import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.run.Argument;
import org.gridfarm.client.cli.run.JobRequest;
import org.gridfarm.client.cli.run.Template;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Empty tasks, few and many, one alone, tasks with input, and the command as a whole. */
public final class JobsBench {
    /**
     * @param counts of empty tasks in a job, each a row; the first is the measure of the others
     * @param scheduler processes whose processor time is told; none: it is not
     * @param nodes the same, with what their tasks take
     * @param command of this program; empty: it is not measured as a whole
     */
    public record Settings(
            ClientConfig config,
            Path configFile,
            Optional<Path> command,
            FarmPath root,
            List<Integer> counts,
            int repetitions,
            List<Long> scheduler,
            List<Long> nodes) {}

    private static final int WAIT_MILLIS = 4_000;
    private static final int ALONE = 20;
    private static final int INPUTS = 60;
    private static final int INPUT_BYTES = 4 << 20;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double PERCENT = 100;
    private static final double RATE_AIM = 300;
    private static final double LATENCY_AIM = 15;
    private static final double GROWTH_AIM = 1.2;
    private static final double LOCAL_AIM = 95;
    private static final double SKEW_AIM = 1.2;
    private static final int LEVELS = 2;
    private static final int HOT_TASKS = 40;
    private static final int HOT_MEGABYTES = 64;

    private final Settings settings;
    private final Consumer<String> progress;
    private final Report report = new Report("jobs");

    public JobsBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    public Report run() {
        try (Gridfarm farm = Gridfarm.open(settings.config(), "gf bench")) {
            SchedulerLine scheduler = new SchedulerLine(farm, settings.config().schedulers());
            progress.accept("one task");
            alone(scheduler);
            double first = 0;
            for (int count : settings.counts()) {
                progress.accept(count + " tasks");
                double cost = empty(scheduler, count, first);
                first = first == 0 ? cost : first;
            }
            for (int level = 1; level <= LEVELS; level++) {
                progress.accept("tasks with input, replica level " + level);
                local(farm, scheduler, level);
            }
            progress.accept("tasks whose input lies on one node");
            skewed(farm, scheduler);
            progress.accept("tasks that read one file");
            hot(farm, scheduler);
            if (settings.command().isPresent()) {
                CommandBench whole =
                        new CommandBench(
                                settings.command().get(),
                                settings.configFile(),
                                settings.root(),
                                report);
                progress.accept("gf run true");
                whole.one();
                progress.accept("%,d inputs".formatted(CommandBench.INPUTS));
                whole.inputs(farm, slots(farm));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return report;
    }

    private void alone(SchedulerLine scheduler) throws IOException {
        List<Double> task = new ArrayList<>();
        List<Double> process = new ArrayList<>();
        for (int i = 0; i < ALONE; i++) {
            long begin = System.nanoTime();
            await(scheduler, nothing(1));
            task.add((System.nanoTime() - begin) / NANOS_PER_MILLI);
            begin = System.nanoTime();
            start();
            process.add((System.nanoTime() - begin) / NANOS_PER_MILLI);
        }
        report.add(
                Row.of("latency added to one task", median(task) - median(process), "ms")
                        .aiming(Aim.atMost(LATENCY_AIM))
                        .with(Map.of("process_alone_ms", median(process))));
    }

    private static void start() throws IOException {
        try {
            new ProcessBuilder("/bin/sh", "-c", "true").inheritIO().start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The scheduler's processor time for one task, in milliseconds. */
    private double empty(SchedulerLine scheduler, int count, double first) {
        List<Double> rates = new ArrayList<>();
        List<Double> costs = new ArrayList<>();
        List<Double> nodeCosts = new ArrayList<>();
        Processor schedulers = new Processor(settings.scheduler());
        Processor nodes = new Processor(settings.nodes());
        for (int i = 0; i < settings.repetitions(); i++) {
            double before = schedulers.seconds();
            double nodesBefore = nodes.seconds();
            long begin = System.nanoTime();
            await(scheduler, nothing(count));
            rates.add(count / ((System.nanoTime() - begin) / NANOS_PER_SECOND));
            costs.add((schedulers.seconds() - before) / count * 1e3);
            nodeCosts.add((nodes.seconds() - nodesBefore) / count * 1e3);
        }
        report.add(
                Row.of(count + " empty tasks", median(rates), "tasks/s")
                        .aiming(Aim.atLeast(RATE_AIM))
                        .with(Map.of("runs", rates)));
        if (!settings.scheduler().isEmpty()) {
            Row cost = Row.of("scheduler, each of " + count, median(costs), "ms");
            report.add(first == 0 ? cost : cost.against(first).aiming(Aim.atMost(GROWTH_AIM)));
            report.add(Row.of("nodes and tasks, each of " + count, median(nodeCosts), "ms"));
        }
        return median(costs);
    }

    private static int slots(Gridfarm farm) {
        return farm.nodes().stream().mapToInt(NodeInfo::getSlots).sum();
    }

    /**
     * Files spread over the nodes as the farm spreads them, read by tasks of a tenth of a second in
     * half of the slots: so those of the nodes that hold them are free.
     */
    private void local(Gridfarm farm, SchedulerLine scheduler, int level) throws IOException {
        farm.mkdir(settings.root());
        try {
            farm.setPolicy(settings.root(), Policy.replicas(level));
            JobInfo job =
                    await(
                            scheduler,
                            SubmitJobRequest.newBuilder()
                                    .setParallelMax(Math.max(1, slots(farm) / 2)),
                            reading(inputs(farm)));
            report.add(
                    Row.of(
                                    "tasks where their input lies, level " + level,
                                    job.getLocalTasks() * PERCENT / INPUTS,
                                    "%")
                            .aiming(Aim.atLeast(LOCAL_AIM)));
        } finally {
            farm.deleteRecursively(settings.root());
        }
    }

    /** What all tasks of one node cost against the same tasks when no node is better. */
    private void skewed(Gridfarm farm, SchedulerLine scheduler) throws IOException {
        farm.mkdir(settings.root());
        try {
            farm.setPolicy(settings.root(), Policy.replicas(1));
            List<FarmPath> inputs = inputs(farm);
            Map<String, List<FarmPath>> byNode = new TreeMap<>();
            for (FarmPath input : inputs) {
                byNode.computeIfAbsent(
                                farm.where(input).getObjects(0).getReplicas(0).getNode(),
                                _ -> new ArrayList<>())
                        .add(input);
            }
            List<FarmPath> ofOne = byNode.values().iterator().next();
            List<TaskSpec> tasks = new ArrayList<>();
            while (tasks.size() < INPUTS) {
                tasks.addAll(reading(ofOne));
            }
            List<TaskSpec> skewed = tasks.subList(0, INPUTS);
            List<TaskSpec> free =
                    skewed.stream().map(task -> task.toBuilder().clearInputs().build()).toList();
            double even = seconds(scheduler, free);
            double uneven = seconds(scheduler, skewed);
            report.add(
                    Row.of("%d tasks, all input on one node".formatted(INPUTS), uneven, "s")
                            .against(even)
                            .aiming(Aim.atMost(SKEW_AIM))
                            .with(Map.of("input_anywhere_s", even)));
        } finally {
            farm.deleteRecursively(settings.root());
        }
    }

    /** One file with one copy that all tasks read, without and with further copies for them. */
    private void hot(Gridfarm farm, SchedulerLine scheduler) throws IOException {
        farm.mkdir(settings.root());
        try {
            farm.setPolicy(settings.root(), Policy.replicas(1));
            byte[] part = new byte[1 << 20];
            Map<Boolean, Double> took = new HashMap<>();
            Map<String, Object> local = new TreeMap<>();
            for (boolean spread : new boolean[] {false, true}) {
                FarmPath input = FarmPath.of(settings.root() + "/hot-" + spread);
                try (FarmOutputStream out = farm.write(input)) {
                    for (int i = 0; i < HOT_MEGABYTES; i++) {
                        out.write(part);
                    }
                }
                long begin = System.nanoTime();
                JobInfo job =
                        await(
                                scheduler,
                                SubmitJobRequest.newBuilder().setSpread(spread),
                                reading(Collections.nCopies(HOT_TASKS, input)));
                took.put(spread, (System.nanoTime() - begin) / NANOS_PER_SECOND);
                local.put(
                        spread ? "local_percent" : "local_percent_without",
                        job.getLocalTasks() * PERCENT / HOT_TASKS);
            }
            report.add(
                    Row.of(
                                    "%d tasks that read one file of %d MiB, --spread"
                                            .formatted(HOT_TASKS, HOT_MEGABYTES),
                                    took.getOrDefault(true, 0.0),
                                    "s")
                            .against(took.getOrDefault(false, 0.0))
                            .with(local));
        } finally {
            farm.deleteRecursively(settings.root());
        }
    }

    private static double seconds(SchedulerLine scheduler, List<TaskSpec> tasks) {
        long begin = System.nanoTime();
        await(scheduler, tasks);
        return (System.nanoTime() - begin) / NANOS_PER_SECOND;
    }

    private List<FarmPath> inputs(Gridfarm farm) throws IOException {
        byte[] content = new byte[INPUT_BYTES];
        List<FarmPath> inputs = new ArrayList<>();
        for (int i = 0; i < INPUTS; i++) {
            FarmPath input = FarmPath.of(settings.root() + "/" + i);
            try (FarmOutputStream out = farm.write(input)) {
                out.write(content);
            }
            inputs.add(input);
        }
        return inputs;
    }

    private static List<TaskSpec> reading(List<FarmPath> inputs) {
        Template template = Template.of(List.of("cat {} > /dev/null; sleep 0.1"));
        List<TaskSpec> tasks = new ArrayList<>();
        for (FarmPath input : inputs) {
            tasks.add(template.task(tasks.size() + 1, List.of(Argument.of(input.toString()))));
        }
        return tasks;
    }

    private static List<TaskSpec> nothing(int count) {
        TaskSpec task =
                TaskSpec.newBuilder()
                        .addArgv(JobRequest.raw("/bin/true"))
                        .addArgv(JobRequest.raw("x"))
                        .build();
        return java.util.Collections.nCopies(count, task);
    }

    private static JobInfo await(SchedulerLine scheduler, List<TaskSpec> tasks) {
        return await(scheduler, SubmitJobRequest.newBuilder(), tasks);
    }

    private static JobInfo await(
            SchedulerLine scheduler, SubmitJobRequest.Builder how, List<TaskSpec> tasks) {
        SubmitJobRequest request = JobRequest.of(how.setName("gf bench jobs"), tasks);
        long job = scheduler.call(SchedulerMethods.SUBMIT, request).getJob();
        long change = 0;
        int next = 0;
        while (true) {
            WaitJobReply reply =
                    scheduler.call(
                            SchedulerMethods.WAIT,
                            WaitJobRequest.newBuilder()
                                    .setJob(job)
                                    .setWaitMillis(WAIT_MILLIS)
                                    .setChange(change)
                                    .setFromFinished(next)
                                    .build());
            change = reply.getJob().getChange();
            next = reply.getNextFinished();
            if (reply.getJob().getFailed() + reply.getJob().getCancelled() > 0) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "bench",
                        "job " + job,
                        "tasks failed: see gf jobs " + job);
            }
            if (next >= tasks.size()) {
                return reply.getJob();
            }
        }
    }

    static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted.length == 0
                ? 0
                : Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
    }
}
