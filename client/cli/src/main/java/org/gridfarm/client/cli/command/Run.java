package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.Terminal;
import org.gridfarm.client.cli.make.Make;
import org.gridfarm.client.cli.make.MakeRun;
import org.gridfarm.client.cli.make.Step;
import org.gridfarm.client.cli.run.Interrupt;
import org.gridfarm.client.cli.run.JobLog;
import org.gridfarm.client.cli.run.JobRequest;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.Placements;
import org.gridfarm.client.cli.run.Results;
import org.gridfarm.client.cli.run.StandardInput;
import org.gridfarm.client.cli.run.TaskList;
import org.gridfarm.client.cli.run.TaskProxies;
import org.gridfarm.client.cli.slurm.SlurmJob;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

@Command(
        name = "run",
        header = "Runs a command on the nodes that hold its input.",
        customSynopsis = {
            "gf run [OPTION...] COMMAND [ARGUMENT...]",
            "gf run [OPTION...] COMMAND (::: VALUE... | :::: LISTFILE... | --glob PATTERN)",
            "gf run [OPTION...] --make FILE [OUTPUT...]"
        },
        description = {
            "",
            "  gf run wc -l /in/a.txt                         one task, on the node that holds /in/a.txt",
            "  gf run 'wc -l {} > {.}.count' ::: /in/*        a task for each file, where the file lies",
            "  gf run 'sort {} > gf:/out/{/}' ::: /in/*       gf:/path in the command is a path in the farm",
            "  gf run hostname                                one task on any node",
            "",
            "Options come before the command; what follows it is the command's own. Replacement strings are those of GNU parallel: {} {.} {/} {//} {/.} {#}"
                    + " {%%} {1} {2}. A value that begins with / is a path in the farm, and so is one below a mount of the farm; the command sees it below the"
                    + " node's mount ($GF_MOUNT), which is also its working directory.",
            "Each replacement is one word, in any quotes, and never code, whatever a file is called. To a further shell hand it over: sh -c 'wc \"$1\"' sh {}",
            "",
            "Exit status: that of the program for one task (126: it could not be run, 127: it was not found, 128+n: signal n); else the number of failed tasks,"
                    + " 101 for more than 100; with --halt at one failure that task's. 130 after ^C."
        },
        mixinStandardHelpOptions = true)
public final class Run implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private JobOptions job = new JobOptions();

    @Option(
            names = "--glob",
            paramLabel = "PATTERN",
            description = "a source of values: the files of the farm that match")
    private List<String> globs = List.of();

    @Option(
            names = {"--link", "--xapply"},
            description = "take one value of each source together instead of every combination")
    private boolean link;

    @Option(
            names = {"-n", "--max-args"},
            defaultValue = "1",
            paramLabel = "COUNT",
            description = "so many values for each task")
    private int each;

    @Option(
            names = {"-N", "--copies"},
            defaultValue = "1",
            paramLabel = "COUNT",
            description =
                    "run a command without values so many times, on as many nodes as are free")
    private int copies;

    @Option(
            names = {"-k", "--keep-order"},
            description = "print output in the order of the values")
    private boolean keepOrder;

    @Option(names = "--tag", description = "begin each line of output with the values of its task")
    private boolean tag;

    @Option(
            names = "--joblog",
            paramLabel = "FILE",
            description = "a line for each task that ended, in the columns of GNU parallel")
    private @Nullable Path joblog;

    @Option(names = "--resume", description = "leave out tasks that --joblog says have ended")
    private boolean resume;

    @Option(
            names = "--resume-failed",
            description = "leave out tasks that --joblog says have succeeded")
    private boolean resumeFailed;

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description =
                    "also keep stdout and stderr of each task below DIR, as GNU parallel does")
    private @Nullable Path results;

    @Option(names = "--bar", description = "show progress on the terminal")
    private boolean bar;

    @Option(
            names = {"--detach", "--no-wait"},
            description = "print the job's number and exit; see gf job wait")
    private boolean detach;

    @Option(names = "--dry-run", description = "print each command and where it would run")
    private boolean dryRun;

    @Option(
            names = "--via",
            paramLabel = "ENGINE",
            description =
                    "slurm: hand the tasks to the Slurm cluster of this host instead of the farm's scheduler")
    private @Nullable String via;

    @Option(
            names = "--make",
            paramLabel = "FILE",
            description =
                    "run the rules of FILE whose output is out of date, or what these outputs need: docs/make.md")
    private @Nullable Path make;

    @Option(
            names = "--by",
            defaultValue = "time",
            paramLabel = "WHAT",
            description =
                    "with --make: out of date is what is older (time) or of other content (digest)")
    private String by = "time";

    @Parameters(arity = "0..*", paramLabel = "COMMAND")
    private List<String> words = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (make != null) {
            return make(make);
        }
        if (words.isEmpty()) {
            throw new FarmException(ErrorKind.USAGE, "run", "", "give COMMAND, or --make FILE");
        }
        if (via != null && !via.equals("slurm")) {
            throw new FarmException(ErrorKind.USAGE, "run", "--via " + via, "use slurm");
        }
        if ((resume || resumeFailed) && joblog == null) {
            throw new FarmException(
                    ErrorKind.USAGE, "run", "--resume", "needs --joblog FILE of the run before");
        }
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf run")) {
            TaskList list = TaskList.of(farm, words, globs, link, each, job.inputs());
            if (joblog != null && (resume || resumeFailed)) {
                list = list.without(JobLog.read(joblog), resumeFailed);
            }
            if (copies != 1) {
                list = list.copied(copies);
            }
            if (list.tasks().isEmpty()) {
                return 0; // all of it has been done, or there is nothing to do
            }
            List<TaskSpec> specs =
                    JobRequest.withInputs(
                            job.withOutputs(list.specs(), list.tasks()),
                            job.inputs().named(),
                            job.affinity(),
                            job.nodes().slots());
            if (dryRun) {
                show(farm, list, specs);
                return 0;
            }
            boolean isFed = list.isPlain() && !detach && StandardInput.isThere();
            if (via != null) {
                return viaSlurm(farm, list, specs, isFed);
            }
            SubmitJobRequest request =
                    JobRequest.of(
                            job.request(words, list.directory()).setStreamsInput(isFed), specs);
            SchedulerLine scheduler = new SchedulerLine(farm, config.schedulers());
            TaskProxies proxies = job.proxies(config);
            long id = Submit.submit(scheduler, proxies, request);
            if (detach) {
                print(Map.of("job", id), Long.toString(id));
                return 0;
            }
            if (isFed) {
                StandardInput.send(
                        new SchedulerLine(farm, config.schedulers()),
                        id,
                        () -> cancel(farm, config, id));
            }
            try (TaskProxies.Renewal renewal =
                    proxies.whileAttached(() -> new SchedulerLine(farm, config.schedulers()), id)) {
                return follow(farm, config, id, list);
            }
        }
    }

    private int make(Path file) throws IOException, InterruptedException {
        if (detach
                || joblog != null
                || results != null
                || copies != 1
                || job.hasOutputs()
                || via != null) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "run",
                    "--make",
                    "does not go with --detach, --joblog, --results, -N, --out and --via");
        }
        if (!by.matches("time|digest")) {
            throw new FarmException(ErrorKind.USAGE, "run", "--by " + by, "use time or digest");
        }
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf run")) {
            String name = Make.jobName(file);
            Make.Wanted wanted =
                    new Make.Wanted(
                            file,
                            words,
                            by.equals("digest"),
                            new MakeRun.Manner(name, job.parallel(), job.haltsAtOne()));
            if (dryRun) {
                Make.dryRun(farm, wanted);
                return 0;
            }
            Supplier<SchedulerLine> lines = () -> new SchedulerLine(farm, config.schedulers());
            SchedulerLine scheduler = lines.get();
            return Make.run(
                    farm,
                    wanted,
                    lines,
                    steps -> {
                        SubmitJobRequest.Builder request =
                                job.request(List.of(name), Optional.empty()).setName(name);
                        List<TaskSpec> specs =
                                JobRequest.withInputs(
                                        steps.stream().map(Step::spec).toList(),
                                        job.inputs().named(),
                                        job.affinity(),
                                        job.nodes().slots());
                        TaskProxies proxies = job.proxies(config);
                        long id = Submit.submit(scheduler, proxies, JobRequest.of(request, specs));
                        return new MakeRun.Submitted(id, proxies.whileAttached(lines, id)::close);
                    });
        }
    }

    private static void show(Gridfarm farm, TaskList list, List<TaskSpec> specs) {
        Placements placements = new Placements(farm);
        for (int i = 0; i < specs.size(); i++) {
            List<FarmPath> inputs =
                    specs.get(i).getInputsList().stream()
                            .map(input -> FarmPath.of(input.toByteArray()))
                            .toList();
            System.out.println(list.tasks().get(i).command() + "  # " + placements.shown(inputs));
        }
    }

    private int follow(Gridfarm farm, ClientConfig config, long id, TaskList list)
            throws IOException {
        Interrupt interrupt = Interrupt.cancels(id, () -> cancel(farm, config, id));
        List<Map<String, Object>> documents = new ArrayList<>();
        try (JobLog log = joblog == null ? null : JobLog.open(joblog, resume || resumeFailed)) {
            JobRun.Manner manner = manner(log, documents);
            int status =
                    new JobRun(
                                    () -> new SchedulerLine(farm, config.schedulers()),
                                    id,
                                    list.tasks(),
                                    manner)
                            .await(info -> ended(info, documents));
            return interrupt.isAsked() ? Exit.INTERRUPTED.code() : status;
        }
    }

    private JobRun.Manner manner(@Nullable JobLog log, List<Map<String, Object>> documents) {
        return new JobRun.Manner(
                keepOrder,
                tag,
                bar && Terminal.ERR,
                job.haltsAtOne(),
                log,
                results == null ? null : new Results(results),
                options.json,
                task -> {
                    if (options.json) documents.add(Jobs.document(task));
                });
    }

    private int viaSlurm(Gridfarm farm, TaskList list, List<TaskSpec> specs, boolean isFed)
            throws IOException, InterruptedException {
        if (detach) {
            throw SlurmJob.refused("--detach");
        }
        if (isFed) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "run",
                    "standard input",
                    "is not sent to Slurm: name a file of the farm, or add </dev/null");
        }
        List<Map<String, Object>> documents = new ArrayList<>();
        try (JobLog log = joblog == null ? null : JobLog.open(joblog, resume || resumeFailed)) {
            return SlurmJob.run(
                    farm,
                    job.request(words, list.directory()).build(),
                    specs,
                    list.tasks(),
                    manner(log, documents),
                    info -> ended(info, documents));
        }
    }

    private void ended(JobInfo info, List<Map<String, Object>> tasks) {
        if (options.json) {
            Map<String, Object> document = new LinkedHashMap<>(Jobs.document(info));
            document.put("tasks", tasks);
            Output.json(document);
        } else if (bar && Terminal.ERR || info.getTasks() > 1 && info.getFailed() > 0) {
            System.err.println("gf: " + Jobs.summary(info));
        }
    }

    private static void cancel(Gridfarm farm, ClientConfig config, long id) {
        new SchedulerLine(farm, config.schedulers())
                .call(SchedulerMethods.CANCEL, CancelJobRequest.newBuilder().setJob(id).build());
    }

    private void print(Map<String, Object> document, String text) {
        if (options.json) {
            Output.json(document);
        } else {
            System.out.println(text);
        }
    }
}
