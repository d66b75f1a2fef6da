package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.Terminal;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.JobUsageReply;
import org.gridfarm.protocol.wire.JobUsageRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskUsage;
import org.gridfarm.protocol.wire.WaitJobRequest;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code gf job top}: what the tasks of a job that run use now. */
record JobTop(SchedulerLine scheduler, boolean json) {
    private static final int REFRESH_MILLIS = 2_000;
    private static final double PERCENT = 100;
    private static final double MICROS_PER_MILLI = 1e3;
    private static final String CLEAR = "\033[H\033[2J";
    private static final int ROWS_MAX = 40;

    int show(long id) {
        if (json) {
            JobUsageReply reply = ask(id);
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("job", id);
            document.put("tasks", reply.getTasksList().stream().map(Jobs::document).toList());
            document.put("silent_nodes", List.copyOf(reply.getSilentList()));
            Output.json(document);
            return 0;
        }
        JobInfo job = state(id, 0);
        while (true) {
            if (Terminal.OUT) {
                System.out.print(CLEAR);
            }
            print(job, ask(id));
            if (!Terminal.OUT || job.getEnded() > 0) {
                return 0;
            }
            job = state(id, REFRESH_MILLIS);
        }
    }

    private JobUsageReply ask(long id) {
        return scheduler.call(
                SchedulerMethods.USAGE, JobUsageRequest.newBuilder().setJob(id).build());
    }

    /** Not before so many milliseconds have passed: nothing that changes is news to it. */
    private JobInfo state(long id, int afterMillis) {
        return scheduler
                .call(
                        SchedulerMethods.WAIT,
                        WaitJobRequest.newBuilder()
                                .setJob(id)
                                .setWaitMillis(afterMillis)
                                .setChange(Long.MAX_VALUE)
                                .setFromFinished(Integer.MAX_VALUE)
                                .build())
                .getJob();
    }

    private static void print(JobInfo job, JobUsageReply reply) {
        System.out.printf(
                "job %d (%s), %s: %d of %d tasks have ended, %d run, %d wait%n",
                job.getId(),
                Output.name(job.getName()),
                job.getState(),
                job.getTasks() - job.getPending() - job.getRunning(),
                job.getTasks(),
                job.getRunning(),
                job.getPending());
        if (reply.getSilentCount() > 0) {
            System.out.println("no answer from " + String.join(", ", reply.getSilentList()));
        }
        Output.Table table =
                Output.table(
                        "TASK",
                        "NODE",
                        "TIME",
                        "CPU",
                        "%CPU",
                        "MEMORY",
                        "PEAK",
                        "READ",
                        "WRITTEN",
                        "PROCESSES",
                        "ARGUMENT");
        long now = System.currentTimeMillis();
        reply.getTasksList().stream()
                .sorted(
                        Comparator.<TaskInfo>comparingLong(task -> -task.getUsage().getMemoryNow())
                                .thenComparing(TaskInfo::getIndex))
                .limit(ROWS_MAX)
                .forEach(task -> {
                    TaskUsage usage = task.getUsage();
                    long millis = Math.max(1, now - task.getStarted());
                    table.row(
                            job.getId() + "." + (task.getIndex() + 1),
                            task.getNode(),
                            Jobs.seconds(millis),
                            Jobs.seconds(Math.round(usage.getCpuMicros() / MICROS_PER_MILLI)),
                            Math.round(usage.getCpuMicros() / MICROS_PER_MILLI * PERCENT / millis),
                            Output.bytes(usage.getMemoryNow()),
                            Output.bytes(usage.getMemoryPeak()),
                            Output.bytes(usage.getReadBytes()),
                            Output.bytes(usage.getWrittenBytes()),
                            usage.getProcesses(),
                            NameText.of(task.getArgument().toByteArray()));
                });
        table.print();
    }
}
