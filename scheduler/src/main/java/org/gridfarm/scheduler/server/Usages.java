package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.wire.JobUsageReply;
import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskUsage;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** What the tasks of a job that run have used so far: their nodes are asked, all at once. */
record Usages(Runner runner, Slots slots) {
    private static final Logger log = LoggerFactory.getLogger(Usages.class);

    /** Called on the event thread; may complete on another. */
    CompletableFuture<JobUsageReply> of(Job job) {
        Map<String, TaskInfo> running = new HashMap<>(); // by attempt
        Map<String, CompletableFuture<ListTasksReply>> asked = new HashMap<>(); // by node
        for (Task task : job.running()) {
            running.put(task.attemptId(), task.info(false));
            asked.computeIfAbsent(task.node(), this::ask);
        }
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .handle((_, _) -> {
                    Map<String, TaskUsage> usage = new HashMap<>();
                    List<String> silent = new ArrayList<>();
                    asked.forEach((node, answer) -> {
                        if (answer.isCompletedExceptionally()) {
                            log.debug("{} does not say what its tasks use", node);
                            silent.add(node);
                        } else {
                            usage.putAll(byAttempt(answer.join()));
                        }
                    });
                    JobUsageReply.Builder reply = JobUsageReply.newBuilder();
                    for (String attempt : new TreeSet<>(running.keySet())) {
                        TaskInfo task = running.get(attempt);
                        if (task != null && usage.containsKey(attempt)) {
                            reply.addTasks(
                                    task.toBuilder()
                                            .setUsage(
                                                    usage.getOrDefault(
                                                            attempt,
                                                            TaskUsage.getDefaultInstance())));
                        }
                    }
                    return reply.addAllSilent(silent).build();
                });
    }

    private CompletableFuture<ListTasksReply> ask(String node) {
        return CompletableFuture.completedFuture(slots.address(node)).thenCompose(runner::tasks);
    }

    private static Map<String, TaskUsage> byAttempt(ListTasksReply reply) {
        Map<String, TaskUsage> usage = new HashMap<>();
        for (int i = 0; i < Math.min(reply.getTasksCount(), reply.getUsageCount()); i++) {
            usage.put(reply.getTasks(i), reply.getUsage(i));
        }
        return usage;
    }
}
