package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.run.JobRequest;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.Mounted;
import org.gridfarm.client.cli.run.Script;
import org.gridfarm.client.cli.run.TaskList;
import org.gridfarm.client.cli.run.TaskProxies;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

@Command(
        name = "submit",
        header = "Submits a script as a job and prints its number.",
        customSynopsis = "gf submit [OPTION...] SCRIPT [ARGUMENT...]",
        description = {
            "",
            "The script is a file of this host, whose text goes along with the job, or one of the farm (gf:/path). Lines in it that begin with #GF, before its"
                    + " first command, hold options as on the command line, which goes before them:",
            "",
            "  #!/bin/sh",
            "  #GF --name count --timeout 10m -i /in/a.txt",
            "  wc -l \"$GF_MOUNT/in/a.txt\"",
            "",
            "Then: gf jobs, gf job why ID, gf job wait ID, gf job log ID."
        },
        mixinStandardHelpOptions = true)
public final class Submit implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private JobOptions job = new JobOptions();

    @Option(
            names = "--after",
            split = ",",
            paramLabel = "HOW:JOB",
            description =
                    "start when a job has ended: ok:12 if it succeeded (else this one is cancelled), any:12 however it ended")
    private List<String> after = List.of();

    @Option(
            names = "--array",
            defaultValue = "1",
            paramLabel = "COUNT",
            description = "so many tasks, which find their number in GF_TASK_ID")
    private int array;

    @Parameters(arity = "1..*", paramLabel = "SCRIPT")
    private List<String> words = List.of();

    private boolean isComplete; // with what the script holds

    @Override
    public Integer call() throws IOException {
        String name = words.getFirst();
        List<String> command = words;
        boolean isInFarm = name.startsWith("gf:/") || Mounted.here().inFarm(name).isPresent();
        if (!isInFarm) {
            Script script = new Script(name, NameText.of(Files.readAllBytes(LocalPath.of(name))));
            List<String> directives = script.directives();
            if (!isComplete && !directives.isEmpty()) {
                return completed(directives).call();
            }
            command = script.command(words.subList(1, words.size()));
        }
        return submit(command);
    }

    private Submit completed(List<String> directives) {
        List<String> all = new ArrayList<>(directives);
        if (spec != null) {
            List<String> given = spec.commandLine().getParseResult().originalArgs();
            all.addAll(given.subList(given.indexOf(spec.name()) + 1, given.size()));
        }
        Submit complete = new Submit();
        complete.isComplete = true;
        new CommandLine(complete)
                .setStopAtPositional(true)
                .setOverwrittenOptionsAllowed(true)
                .registerConverter(Path.class, LocalPath::of)
                .setExpandAtFiles(false)
                .parseArgs(all.toArray(new String[0]));
        return complete;
    }

    private int submit(List<String> command) {
        if (array < 1) {
            throw new FarmException(
                    ErrorKind.USAGE, "submit", "--array " + array, "a job has tasks");
        }
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf submit")) {
            TaskList list = TaskList.plain(farm, command, job.inputs());
            List<JobRun.Task> numbered =
                    IntStream.rangeClosed(1, array)
                            .mapToObj(number -> new JobRun.Task(number, List.of(), ""))
                            .toList();
            List<TaskSpec> tasks =
                    JobRequest.withInputs(
                            job.withOutputs(
                                    Collections.nCopies(array, list.specs().getFirst()), numbered),
                            job.inputs().named(),
                            job.affinity(),
                            job.nodes().slots());
            SubmitJobRequest.Builder request = job.request(words, list.directory());
            after.forEach(word -> request.addAfter(after(word)));
            long id =
                    submit(
                            new SchedulerLine(farm, config.schedulers()),
                            job.proxies(config),
                            JobRequest.of(request, tasks));
            if (options.json) {
                Output.json(Map.of("job", id));
            } else {
                System.out.println(id);
            }
        }
        return 0;
    }

    /** The number of the job, whose tasks have a proxy if there can be one. */
    static long submit(SchedulerLine scheduler, TaskProxies proxies, SubmitJobRequest request) {
        return proxies.submit(
                scheduler,
                signed -> {
                    SubmitJobRequest.Builder with = request.toBuilder();
                    signed.ifPresent(with::setDelegation);
                    return scheduler.call(SchedulerMethods.SUBMIT, with.build()).getJob();
                });
    }

    private static After after(String word) {
        String[] parts = word.split(":", 2);
        boolean isKnown = parts.length == 2 && (parts[0].equals("ok") || parts[0].equals("any"));
        if (!isKnown || !parts[1].matches("[0-9]{1,18}")) {
            throw new FarmException(
                    ErrorKind.USAGE, "submit", "--after " + word, "use ok:JOB or any:JOB");
        }
        return After.newBuilder()
                .setJob(Long.parseLong(parts[1]))
                .setAny(parts[0].equals("any"))
                .build();
    }
}
