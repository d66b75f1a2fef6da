package org.gridfarm.client.cli.report;

import org.gridfarm.protocol.wire.TaskInfo;

import java.util.List;

/**
 * The time from the first start to the last end, in milliseconds since 1970; what still runs ends
 * now.
 */
public record Span(long from, long to) {
    public static Span of(List<TaskInfo> started, long now) {
        long from = started.stream().mapToLong(TaskInfo::getStarted).min().orElse(now);
        long to = from + 1; // a job can take less than the clock can tell
        for (TaskInfo task : started) {
            to = Math.max(to, task.getEnded() == 0 ? now : task.getEnded());
        }
        return new Span(from, to);
    }

    /** From 0 to 1. */
    public double at(long time) {
        return Math.clamp((double) (time - from) / (to - from), 0.0, 1.0);
    }

    public long end(TaskInfo task) {
        return Math.max(task.getStarted(), task.getEnded() == 0 ? to : task.getEnded());
    }

    public long millis(TaskInfo task) {
        return end(task) - task.getStarted();
    }
}
