package org.gridfarm.client.cli.command;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.run.Argument;
import org.gridfarm.client.cli.run.Sources;
import org.gridfarm.client.cli.run.Template;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "run",
        header = "Runs a command on the nodes that hold its input.",
        description = {
            "",
            "  gf run 'wc -l {} > {.}.count' ::: /in/*        a task for each file, where the file lies",
            "  gf run 'sort {} > gf:/out/{/}' ::: /in/*       gf:/path in the command is a path in the farm",
            "  gf run hostname                                one task on any node",
            "",
            "Replacement strings are those of GNU parallel: {} {.} {/} {//} {/.} {#} {1} {2}. An argument that begins with / is a path in the farm; the"
                    + " command sees it below the node's mount ($GF_MOUNT), which is also its working directory.",
            "Each replacement is one word, in any quotes, and never code, whatever a file is called. To a further shell hand it over: sh -c 'wc \"$1\"' sh {}",
            "",
            "Exit status: that of the program for one task; else the number of failed tasks, 101 for more than 100."
        },
        mixinStandardHelpOptions = true)
public final class Run implements Callable<Integer> {
    private static final int WAIT_MILLIS = 4_000;
    private static final int FAILED_SHOWN_MAX = 100;
    private static final int NAME_CHARS_MAX = 60; // of a job that got none

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-j", "--jobs"},
            defaultValue = "0",
            description = "tasks at once; 0: as many as there are slots")
    private int parallel;

    @Option(
            names = "--retries",
            defaultValue = "0",
            description = "how often a failed task is tried again (${DEFAULT-VALUE})")
    private int retries;

    @Option(
            names = "--halt",
            defaultValue = "never",
            description =
                    "after a failure: never, soon (start nothing more), now (kill the others)")
    private String halt = "never";

    @Option(
            names = "--timeout",
            defaultValue = "0",
            paramLabel = "SECONDS",
            description = "of each task; 0: none")
    private double timeout;

    @Option(names = "--name", defaultValue = "", description = "for gf jobs; the command if none")
    private String name = "";

    @Option(
            names = "--directory",
            defaultValue = "",
            paramLabel = "PATH",
            description = "working directory, a path in the farm")
    private String directory = "";

    @Option(
            names = "--on",
            defaultValue = "",
            paramLabel = "PATTERN",
            description = "only on nodes whose name matches, such as n1, 'gpu*' or '{n1,n2}'")
    private String on = "";

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "environment of the tasks")
    private Map<String, String> environment = new HashMap<>();

    @Option(
            names = {"-k", "--keep-order"},
            description = "output in the order of the arguments")
    private boolean keepOrder;

    @Option(names = "--no-wait", description = "print the job's number and go")
    private boolean noWait;

    @Option(names = "--dry-run", description = "print the commands and run nothing")
    private boolean dryRun;

    @Parameters(arity = "1..*", paramLabel = "COMMAND [::: ARGUMENT...]")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf run")) {
            Sources sources = sources(farm);
            Template template =
                    sources.groups().isEmpty()
                            ? Template.plain(sources.command())
                            : Template.of(sources.command());
            List<List<Argument>> combinations = sources.combinations();
            if (dryRun) {
                for (int i = 0; i < combinations.size(); i++) {
                    System.out.println(template.shown(i + 1, combinations.get(i)));
                }
                return 0;
            }
            List<TaskSpec> tasks = new ArrayList<>();
            for (List<Argument> arguments : combinations) {
                tasks.add(template.task(tasks.size() + 1, arguments));
            }
            SchedulerLine scheduler = new SchedulerLine(farm, config.schedulers());
            long job = scheduler.call(SchedulerMethods.SUBMIT, request(tasks)).getJob();
            if (noWait) {
                print(Map.of("job", job), Long.toString(job));
                return 0;
            }
            Thread killer = new Thread(() -> cancel(farm, config, job), "gf-cancel");
            Runtime.getRuntime().addShutdownHook(killer);
            int status = await(scheduler, job, tasks.size());
            Runtime.getRuntime().removeShutdownHook(killer);
            return status;
        }
    }

    private Sources sources(Gridfarm farm) {
        return Sources.parse(
                words,
                pattern -> farm.glob(pattern).stream().map(FarmPath::toString).toList(),
                Run::lines);
    }

    private SubmitJobRequest request(List<TaskSpec> tasks) {
        Map<String, ByteString> values = new HashMap<>();
        environment.forEach((variable, value) -> values.put(variable, raw(value)));
        return SubmitJobRequest.newBuilder()
                .setName(NameText.shown(name.isEmpty() ? shortened(String.join(" ", words)) : name))
                .addAllTasks(tasks)
                .setParallelMax(parallel)
                .setRetries(retries)
                .setHalt(halt)
                .putAllEnvironment(values)
                .setDirectory(raw(directory))
                .setTimeoutMillis((long) (timeout * 1000))
                .setNodePattern(on)
                .setSubmission(new java.security.SecureRandom().nextLong() | 1)
                .build();
    }

    private int await(SchedulerLine scheduler, long job, int count) {
        Map<Integer, TaskInfo> early = new HashMap<>();
        List<Map<String, Object>> documents = new ArrayList<>();
        int next = 0;
        int shown = 0;
        int failed = 0;
        int onlyStatus = 0;
        long change = 0;
        String said = "";
        while (true) {
            WaitJobReply reply =
                    scheduler.call(
                            SchedulerMethods.WAIT,
                            WaitJobRequest.newBuilder()
                                    .setJob(job)
                                    .setWaitMillis(WAIT_MILLIS)
                                    .setChange(change)
                                    .setFromFinished(next)
                                    .setWithOutput(true)
                                    .build());
            change = reply.getJob().getChange();
            next = reply.getNextFinished();
            said = tellWaiting(reply.getJob(), said);
            for (TaskInfo task : reply.getFinishedList()) {
                failed += task.getState().equals("succeeded") ? 0 : 1;
                onlyStatus =
                        task.getState().equals("succeeded") ? 0 : Math.max(1, task.getExitCode());
                if (options.json) {
                    documents.add(Jobs.document(task));
                } else if (keepOrder) {
                    early.put(task.getIndex(), task);
                    for (TaskInfo ready = early.remove(shown);
                            ready != null;
                            ready = early.remove(shown)) {
                        show(ready);
                        shown++;
                    }
                } else {
                    show(task);
                }
            }
            if (next >= count
                    && !List.of("pending", "running").contains(reply.getJob().getState())) {
                if (options.json) {
                    Map<String, Object> document =
                            new java.util.LinkedHashMap<>(Jobs.document(reply.getJob()));
                    document.put("tasks", documents);
                    Output.json(document);
                }
                return count == 1
                        ? onlyStatus
                        : failed > FAILED_SHOWN_MAX ? FAILED_SHOWN_MAX + 1 : failed;
            }
        }
    }

    /** Once for each reason, while nothing runs. */
    private static String tellWaiting(JobInfo job, String said) {
        String why = job.getWaiting();
        if (why.isEmpty() || why.equals(said) || job.getRunning() > 0) {
            return said;
        }
        System.err.println("gf: job " + job.getId() + " " + why);
        return why;
    }

    private static void show(TaskInfo task) {
        System.out.writeBytes(task.getStdout().toByteArray());
        System.out.flush();
        System.err.writeBytes(task.getStderr().toByteArray());
        if (!task.getState().equals("succeeded")) {
            System.err.println(
                    "gf: task "
                            + (task.getIndex() + 1)
                            + " ("
                            + text(task.getArgument())
                            + ") on "
                            + (task.getNode().isEmpty() ? "no node" : task.getNode())
                            + ": "
                            + task.getReason());
        }
    }

    /** After ^C: nobody waits for the job any more. */
    private static void cancel(Gridfarm farm, ClientConfig config, long job) {
        new SchedulerLine(farm, config.schedulers())
                .call(SchedulerMethods.CANCEL, CancelJobRequest.newBuilder().setJob(job).build());
    }

    private static String shortened(String command) {
        return command.substring(0, Math.min(NAME_CHARS_MAX, command.length()));
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }

    private static String text(ByteString raw) {
        return NameText.of(raw.toByteArray());
    }

    private static List<String> lines(String file) {
        try {
            byte[] list =
                    file.equals("-")
                            ? System.in.readAllBytes()
                            : Files.readAllBytes(LocalPath.of(file));
            return Sources.lines(NameText.of(list));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void print(Map<String, Object> document, String text) {
        if (options.json) {
            Output.json(document);
        } else {
            System.out.println(text);
        }
    }
}
