package org.gridfarm.client.cli.report;

import org.gridfarm.protocol.wire.TaskInfo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What one slot of a node did, as bars from 0 to 1 of the job's time. Bars that could not be told
 * apart on a screen are one, which shows a failure if there is one, so that a job of any size makes
 * a page of bounded size.
 */
public record Lane(List<Bar> bars) {
    private static final double NARROWEST = 1.0 / 1_500;
    private static final String FAILED = "failed";

    /**
     * @param from where in the job's time
     * @param kind {@code local}, {@code rack}, {@code remote}, {@code none} or {@code failed}
     * @param first the task; the first of several
     */
    public record Bar(double from, double to, String kind, TaskInfo first, int tasks) {}

    public static Lane of(List<TaskInfo> tasks, Span span) {
        List<TaskInfo> inOrder =
                tasks.stream().sorted(Comparator.comparingLong(TaskInfo::getStarted)).toList();
        List<Bar> bars = new ArrayList<>();
        for (TaskInfo task : inOrder) {
            double from = span.at(task.getStarted());
            double to = span.at(span.end(task));
            String kind = kind(task);
            Bar last = bars.isEmpty() ? null : bars.getLast();
            if (last != null && to - last.from() < NARROWEST) {
                bars.set(
                        bars.size() - 1,
                        new Bar(
                                last.from(),
                                to,
                                kind.equals(FAILED) ? kind : last.kind(),
                                last.first(),
                                last.tasks() + 1));
            } else {
                bars.add(new Bar(from, to, kind, task, 1));
            }
        }
        return new Lane(bars);
    }

    public static String kind(TaskInfo task) {
        return switch (task.getState()) {
            case "failed", "cancelled" -> FAILED;
            default ->
                    switch (task.getLocality()) {
                        case "local", "rack", "remote" -> task.getLocality();
                        default -> "none";
                    };
        };
    }
}
