package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.run.JobRequest;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.Mounted;
import org.gridfarm.client.cli.run.OutputPattern;
import org.gridfarm.client.cli.run.TaskList;
import org.gridfarm.client.cli.run.TaskProxies;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How the tasks of a job are run: what {@code gf run} and {@code gf submit} have in common. */
final class JobOptions {
    private static final int PROXY_HOURS_MAX = 10 * 8760;
    private static final double MILLIS_OF_HOUR = 3_600_000;

    @Mixin private NodeOptions nodes = new NodeOptions();

    @Option(names = "--hold", description = "start nothing before gf job release")
    private boolean hold;

    @Option(
            names = {"-j", "--jobs"},
            defaultValue = "0",
            paramLabel = "COUNT",
            description = "tasks at once; 0: as many as there are slots")
    private int parallel;

    @Option(
            names = {"-i", "--input"},
            paramLabel = "PATH",
            description = "a file of the farm that every task reads as well")
    private List<String> inputs = List.of();

    @Option(
            names = {"-G", "--affinity"},
            defaultValue = "",
            paramLabel = "PATH",
            description = "run where this file of the farm lies, whatever the input is")
    private String affinity = "";

    @Option(
            names = "--allow-missing",
            description = "run also the tasks whose input does not exist")
    private boolean allowMissing;

    @Option(
            names = "--retries",
            defaultValue = "0",
            paramLabel = "COUNT",
            description = "how often a failed task is tried again (${DEFAULT-VALUE})")
    private int retries;

    @Option(
            names = "--speculate",
            description =
                    "begin a task that takes much longer than the others a second time on another node; the first to succeed counts")
    private boolean speculate;

    @Option(
            names = "--spread",
            description =
                    "input that many waiting tasks read gets further copies at nodes with free slots, until the job has ended")
    private boolean spread;

    @Option(
            names = "--halt",
            defaultValue = "never",
            paramLabel = "WHEN",
            description =
                    "never, soon (start nothing more) or now (kill the others) after a failure; soon,fail=10%%, now,success=1, now,done=5 count other ends")
    private String halt = "never";

    @Option(
            names = {"--timeout", "--time"},
            defaultValue = "0",
            paramLabel = "TIME",
            description = "of each task: seconds, or such as 10m or 1:30:00; 0: none")
    private String timeout = "0";

    @Option(
            names = "--priority",
            defaultValue = "0",
            paramLabel = "NUMBER",
            description = "among your own jobs the highest goes first (${DEFAULT-VALUE})")
    private int priority;

    @Option(
            names = "--name",
            defaultValue = "",
            paramLabel = "NAME",
            description = "for gf jobs; the command if none")
    private String name = "";

    @Option(
            names = {"--workdir", "--directory"},
            defaultValue = "",
            paramLabel = "PATH",
            description =
                    "working directory, a path in the farm; the one you are in, if that is in the farm")
    private String directory = "";

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description = "environment of the tasks; without a value as it is here")
    private List<String> environment = List.of();

    @Option(
            names = "--proxy-hours",
            defaultValue = "12",
            paramLabel = "HOURS",
            description =
                    "the tasks may act for you in the farm for so long, as far as your own proxy lasts (${DEFAULT-VALUE}); gf run renews it; 0: not at all")
    private double proxyHours = 12;

    TaskProxies proxies(ClientConfig config) {
        if (!(proxyHours >= 0 && proxyHours <= PROXY_HOURS_MAX)) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "run",
                    "--proxy-hours " + proxyHours,
                    "between 0 and " + PROXY_HOURS_MAX);
        }
        return new TaskProxies(
                config.security()::credential,
                config.security().logIn().isPresent()
                        ? Duration.ZERO // who has no certificate cannot make proxies
                        : Duration.ofMillis(Math.round(proxyHours * MILLIS_OF_HOUR)));
    }

    @Option(
            names = "--out",
            defaultValue = "",
            paramLabel = "PATTERN",
            description =
                    "what a task writes to $GF_OUT appears there when it has succeeded, such as '/out/{/.}.txt'; with / at its end a directory")
    private String out = "";

    TaskList.Inputs inputs() {
        return new TaskList.Inputs(inputs.stream().map(JobOptions::inFarm).toList(), allowMissing);
    }

    Optional<String> affinity() {
        return affinity.isEmpty() ? Optional.empty() : Optional.of(inFarm(affinity));
    }

    private static String inFarm(String path) {
        return Mounted.here()
                .inFarm(path)
                .orElse(path.startsWith("gf:/") ? path.substring("gf:".length()) : path);
    }

    /** The same tasks with their outputs. */
    List<TaskSpec> withOutputs(List<TaskSpec> specs, List<JobRun.Task> tasks) {
        return out.isEmpty() ? specs : new OutputPattern(out, JobOptions::inFarm).of(specs, tasks);
    }

    NodeOptions nodes() {
        return nodes;
    }

    /** Tasks at once; 0: any number. */
    int parallel() {
        return parallel;
    }

    boolean hasOutputs() {
        return !out.isEmpty();
    }

    /** The others end because of one failure, whose exit status is the command's. */
    boolean haltsAtOne() {
        return halt.matches("(soon|now)(,fail=1)?");
    }

    /**
     * @param here the working directory, if it is in the farm
     */
    SubmitJobRequest.Builder request(List<String> words, Optional<String> here) {
        if (parallel < 0 || retries < 0) {
            throw new FarmException(
                    ErrorKind.USAGE, "run", "", "--jobs and --retries are not negative");
        }
        SubmitJobRequest.Builder request = SubmitJobRequest.newBuilder();
        nodes.into(request);
        return request.setHeld(hold)
                .setName(JobRequest.name(name, words))
                .setParallelMax(parallel)
                .setRetries(retries)
                .setSpeculate(speculate)
                .setSpread(spread)
                .setHalt(halt)
                .putAllEnvironment(JobRequest.environment(environment))
                .setDirectory(
                        JobRequest.raw(directory.isEmpty() ? here.orElse("") : inFarm(directory)))
                .setTimeoutMillis(JobRequest.time(timeout).toMillis())
                .setPriority(priority);
    }
}
