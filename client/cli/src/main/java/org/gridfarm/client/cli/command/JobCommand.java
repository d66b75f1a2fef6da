package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.Terminal;
import org.gridfarm.client.cli.report.JobReport;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.TaskOutput;
import org.gridfarm.client.cli.run.TaskProxies;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.HoldJobRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.RetryJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "job",
        header = "Shows, explains, awaits, holds, cancels and repeats one job.",
        description = {
            "",
            "  show    how it stands, and each of its tasks",
            "  why     what its next task, or task 12.3, waits for, and what speaks for and against each node",
            "  wait    until it has ended; prints the output of its tasks; exit status as of gf run",
            "  log     the output of its tasks that have ended, or of one: gf job log 12.3",
            "  report  a page on what the nodes did: gf job report 12 > job12.html",
            "  top     what its tasks that run use now; on a terminal again and again",
            "  hold    start nothing more of it, until release; what runs goes on",
            "  cancel  end it",
            "  retry   run its tasks that did not succeed once more, as a new job whose number is printed"
        },
        mixinStandardHelpOptions = true)
public final class JobCommand implements Callable<Integer> {
    private enum Action {
        SHOW,
        WHY,
        WAIT,
        LOG,
        TOP,
        REPORT,
        HOLD,
        RELEASE,
        CANCEL,
        RETRY
    }

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-q", "--quiet"},
            description = "wait: without the output")
    private boolean quiet;

    @Option(
            names = {"-k", "--keep-order"},
            description = "wait: output in the order of the tasks")
    private boolean keepOrder;

    @Option(
            names = {"-f", "--follow"},
            description = "log: of one task, as it is written")
    private boolean follow;

    @Option(names = "--stderr", description = "log: standard error instead of standard output")
    private boolean stderr;

    @Parameters(index = "0", paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}")
    private Action action = Action.SHOW;

    @Parameters(
            index = "1",
            paramLabel = "JOB[.TASK]",
            description = "number of the job, as gf jobs shows it")
    private String which = "";

    @Override
    public Integer call() throws IOException {
        String[] parts = which.split("\\.", 2);
        if (!which.matches("[0-9]{1,18}(\\.[0-9]{1,9})?")) {
            throw new FarmException(
                    ErrorKind.USAGE, "job", which, "give the number of a job, such as 12 or 12.3");
        }
        long id = Long.parseLong(parts[0]);
        Optional<Integer> task =
                parts.length == 2 ? Optional.of(Integer.parseInt(parts[1]) - 1) : Optional.empty();
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf job")) {
            SchedulerLine scheduler = new SchedulerLine(farm, config.schedulers());
            return switch (action) {
                case SHOW -> show(scheduler, id);
                case WHY -> new JobReasons(scheduler, options.json).show(id, task);
                case TOP -> new JobTop(scheduler, options.json).show(id);
                case HOLD -> hold(scheduler, id, false);
                case RELEASE -> hold(scheduler, id, true);
                case WAIT -> await(farm, config, scheduler, id);
                case LOG -> log(scheduler, id, task);
                case REPORT -> report(scheduler, id);
                case CANCEL -> cancel(scheduler, id);
                case RETRY -> retry(config, scheduler, id);
            };
        }
    }

    private int show(SchedulerLine scheduler, long id) {
        Jobs.show(scheduler, List.of(id), true, options.json);
        return 0;
    }

    private static int report(SchedulerLine scheduler, long id) {
        if (Terminal.OUT) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "job",
                    "report",
                    "it is a page for a browser: gf job report %1$d > job%1$d.html".formatted(id));
        }
        List<TaskInfo> tasks = new ArrayList<>();
        JobInfo job = Jobs.fetch(scheduler, id, true, tasks);
        System.out.print(
                new JobReport(job, tasks, System.currentTimeMillis(), ZoneId.systemDefault())
                        .html());
        System.out.flush();
        return 0;
    }

    private int cancel(SchedulerLine scheduler, long id) {
        scheduler.call(SchedulerMethods.CANCEL, CancelJobRequest.newBuilder().setJob(id).build());
        return 0;
    }

    private int retry(ClientConfig config, SchedulerLine scheduler, long id) {
        RetryJobRequest.Builder request =
                RetryJobRequest.newBuilder()
                        .setJob(id)
                        .setSubmission(new SecureRandom().nextLong() | 1);
        long again =
                new TaskProxies(
                                config.security()::credential,
                                config.security().logIn().isPresent()
                                        ? Duration.ZERO
                                        : TaskProxies.LIFE_DEFAULT)
                        .submit(
                                scheduler,
                                signed -> {
                                    signed.ifPresent(request::setDelegation);
                                    return scheduler
                                            .call(SchedulerMethods.RETRY, request.build())
                                            .getJob();
                                });
        if (options.json) {
            Output.json(Map.of("job", again));
        } else {
            System.out.println(again);
        }
        return 0;
    }

    private static int hold(SchedulerLine scheduler, long id, boolean isRelease) {
        scheduler.call(
                SchedulerMethods.HOLD,
                HoldJobRequest.newBuilder().setJob(id).setRelease(isRelease).build());
        return 0;
    }

    private int await(Gridfarm farm, ClientConfig config, SchedulerLine scheduler, long id) {
        List<TaskInfo> known = new ArrayList<>();
        Jobs.fetch(scheduler, id, true, known);
        List<JobRun.Task> tasks =
                known.stream()
                        .map(task ->
                                new JobRun.Task(
                                        task.getIndex() + 1,
                                        List.of(),
                                        NameText.of(task.getArgument().toByteArray())))
                        .toList();
        JobRun.Manner manner =
                new JobRun.Manner(
                        keepOrder, false, false, false, null, null, quiet || options.json, _ -> {});
        return new JobRun(() -> new SchedulerLine(farm, config.schedulers()), id, tasks, manner)
                .await(info -> {
                    if (options.json) Output.json(Jobs.document(info));
                });
    }

    private int log(SchedulerLine scheduler, long id, Optional<Integer> task) throws IOException {
        TaskOutput output = new TaskOutput(scheduler);
        if (task.isPresent() && follow) {
            output.follow(id, task.get(), stderr, System.out);
            return 0;
        }
        List<TaskInfo> tasks = new ArrayList<>();
        Jobs.fetch(scheduler, id, true, tasks);
        for (TaskInfo one : tasks) {
            if (task.isEmpty() || task.get() == one.getIndex()) {
                output.copy(one, stderr, System.out);
            }
        }
        System.out.flush();
        return 0;
    }
}
