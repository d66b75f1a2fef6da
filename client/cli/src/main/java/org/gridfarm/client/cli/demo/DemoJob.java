package org.gridfarm.client.cli.demo;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.run.Argument;
import org.gridfarm.client.cli.run.Template;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A task for each file, run where the file lies; its output goes into the farm. */
final class DemoJob {
    private static final int WAIT_MILLIS = 4_000;

    private final Gridfarm farm;
    private final ClientConfig config;
    private final Story story;

    DemoJob(Gridfarm farm, ClientConfig config, Story story) {
        this.farm = farm;
        this.config = config;
        this.story = story;
    }

    void run(Collection<FarmPath> inputs, FarmPath out) {
        Template template =
                Template.of(
                        List.of(
                                "tr -cs A-Za-z '\\n' < {} | sort | uniq -c | sort -rn > gf:"
                                        + out
                                        + "/{/}.words"));
        List<TaskSpec> tasks = new ArrayList<>();
        for (FarmPath input : inputs) {
            tasks.add(template.task(tasks.size() + 1, List.of(Argument.of(input.toString()))));
        }
        SchedulerLine scheduler = new SchedulerLine(farm, config.schedulers());
        long job =
                scheduler
                        .call(
                                SchedulerMethods.SUBMIT,
                                SubmitJobRequest.newBuilder()
                                        .setName("word frequencies")
                                        .addAllTasks(tasks)
                                        .setSubmission(System.nanoTime() | 1)
                                        .build())
                        .getJob();
        JobInfo done = await(scheduler, job);
        story.step(
                "job",
                "ran "
                        + done.getTasks()
                        + " tasks: "
                        + done.getLocalTasks()
                        + " where their input lay; input read locally "
                        + Output.bytes(done.getInputBytesLocal())
                        + ", over the network "
                        + Output.bytes(done.getInputBytesRemote()),
                Map.of(
                        "tasks", done.getTasks(),
                        "local_tasks", done.getLocalTasks(),
                        "input_bytes_local", done.getInputBytesLocal(),
                        "input_bytes_remote", done.getInputBytesRemote()));
    }

    private static JobInfo await(SchedulerLine scheduler, long job) {
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
                                    .setWithOutput(true)
                                    .build());
            change = reply.getJob().getChange();
            next = reply.getNextFinished();
            for (TaskInfo task : reply.getFinishedList()) {
                if (!task.getState().equals("succeeded")) {
                    throw new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "task",
                            task.getArgument().toStringUtf8(),
                            "on "
                                    + task.getNode()
                                    + ": "
                                    + task.getReason()
                                    + " "
                                    + task.getStderr().toStringUtf8().strip());
                }
            }
            if (reply.getJob().getState().equals("succeeded")) {
                return reply.getJob();
            }
        }
    }
}
