package org.gridfarm.client;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A job as it is asked for.
 *
 * @param name for people
 * @param retries of each task that fails
 * @param parallel tasks at a time; 0: as many as there are slots
 * @param timeout of each task; zero: none
 * @param halt what ended tasks do to the others: empty or {@code never}, {@code soon,fail=1},
 *     {@code now,fail=3} and so on, as of {@code gf run --halt}
 * @param environment of each task, beside what every task has
 * @param nodes only on nodes whose names match this pattern; empty: on any
 */
public record JobSpec(
        String name,
        List<TaskSpec> tasks,
        int retries,
        int parallel,
        Duration timeout,
        String halt,
        Map<String, String> environment,
        String nodes) {
    public JobSpec {
        tasks = List.copyOf(tasks);
        environment = Map.copyOf(environment);
        if (tasks.isEmpty()) {
            throw new FarmException(ErrorKind.INVALID, "submit", name, "the job has no task");
        }
        if (retries < 0 || parallel < 0 || timeout.isNegative()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "submit",
                    name,
                    "retries, parallel and timeout are not negative");
        }
    }

    public static JobSpec of(String name, List<TaskSpec> tasks) {
        return new JobSpec(name, tasks, 0, 0, Duration.ZERO, "", Map.of(), "");
    }

    public static JobSpec of(String name, TaskSpec... tasks) {
        return of(name, List.of(tasks));
    }

    public JobSpec withRetries(int times) {
        return new JobSpec(name, tasks, times, parallel, timeout, halt, environment, nodes);
    }

    public JobSpec withParallel(int atMost) {
        return new JobSpec(name, tasks, retries, atMost, timeout, halt, environment, nodes);
    }

    public JobSpec withTimeout(Duration longest) {
        return new JobSpec(name, tasks, retries, parallel, longest, halt, environment, nodes);
    }

    public JobSpec withHalt(String when) {
        return new JobSpec(name, tasks, retries, parallel, timeout, when, environment, nodes);
    }

    public JobSpec withEnvironment(Map<String, String> variables) {
        return new JobSpec(name, tasks, retries, parallel, timeout, halt, variables, nodes);
    }

    public JobSpec withNodes(String pattern) {
        return new JobSpec(name, tasks, retries, parallel, timeout, halt, environment, pattern);
    }
}
