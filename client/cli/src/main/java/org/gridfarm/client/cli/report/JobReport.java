package org.gridfarm.client.cli.report;

import org.gridfarm.client.cli.Output;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.TaskInfo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One job as an HTML page: what each slot of each node did when, where the input lay, and which
 * tasks took longest or failed. Light or dark as the reader's system is.
 */
public final class JobReport {
    private static final int FIGURES = 5; // of a task in a table
    private static final int LISTED_MAX = 20;
    private static final int TICKS = 6;
    private static final double MILLIS = 1e3;
    private static final double PERCENT = 100;
    private static final int COMMAND_CHARS_MAX = 300;

    private static final int MEDIAN = 50;

    private static final int NEARLY_ALL = 95;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private final JobInfo job;
    private final List<TaskInfo> started;
    private final Span span;
    private final ZoneId zone;
    private final StringBuilder page = new StringBuilder();

    /**
     * @param now milliseconds since 1970
     */
    public JobReport(JobInfo job, List<TaskInfo> tasks, long now, ZoneId zone) {
        this.job = job;
        this.started = tasks.stream().filter(task -> task.getStarted() > 0).toList();
        this.span = Span.of(started, now);
        this.zone = zone;
    }

    public String html() {
        String title = "Job " + job.getId() + ": " + job.getName();
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(text(title))
                .append(
                        "</title><meta name=\"viewport\" content=\"width=device-width\">\n<style>\n")
                .append(style())
                .append("</style></head><body>\n<h1>")
                .append(text(title))
                .append("</h1>\n<p>")
                .append(
                        text(
                                "%s, of %s, submitted %s"
                                        .formatted(
                                                job.getState(),
                                                job.getUser(),
                                                time(job.getSubmitted()))))
                .append("</p>\n");
        figures();
        if (started.isEmpty()) {
            page.append("<p>None of its tasks has started.</p>\n");
        } else {
            nodes();
            locality();
            table(
                    "Slowest tasks",
                    started.stream()
                            .sorted(Comparator.comparingLong(span::millis).reversed())
                            .toList());
            List<TaskInfo> failed =
                    started.stream().filter(task -> Lane.kind(task).equals("failed")).toList();
            if (!failed.isEmpty()) {
                table("Failed and cancelled tasks", failed);
            }
        }
        return page.append("</body></html>\n").toString();
    }

    private void figures() {
        page.append("<div class=\"figures\">");
        figure(Integer.toString(job.getTasks()), "tasks");
        figure(Integer.toString(job.getSucceeded()), "succeeded");
        figure(Integer.toString(job.getFailed()), "failed");
        if (!started.isEmpty()) {
            figure(seconds(span.to() - span.from()), "from first start to last end");
            figure(seconds(share(MEDIAN, false)), "median task");
            figure(seconds(share(NEARLY_ALL, false)), NEARLY_ALL + " % of tasks took at most");
            figure(seconds(share(MEDIAN, true)), "median wait for a slot");
        }
        if (job.getMemoryPeak() > 0) {
            figure(seconds(Math.round(job.getCpuMicros() / MILLIS)), "of processor time");
            figure(Output.bytes(job.getMemoryPeak()), "most memory of a task");
        }
        long read = job.getInputBytesLocal() + job.getInputBytesRemote();
        if (read > 0) {
            figure(
                    "%.0f %%".formatted(job.getInputBytesLocal() * PERCENT / read),
                    "of " + Output.bytes(read) + " input lay where it was read");
        }
        page.append("</div>\n");
    }

    private void figure(String value, String what) {
        page.append("<div><b>").append(text(value)).append("</b><span>");
        page.append(text(what)).append("</span></div>");
    }

    /** So many percent are no longer. */
    private long share(int percent, boolean isWait) {
        List<Long> sorted =
                started.stream()
                        .map(task ->
                                isWait
                                        ? Math.max(0, task.getStarted() - task.getQueued())
                                        : span.millis(task))
                        .sorted()
                        .toList();
        return sorted.get((int) ((sorted.size() - 1) * percent / PERCENT));
    }

    private Map<String, List<TaskInfo>> byNode() {
        return started.stream()
                .collect(
                        Collectors.groupingBy(
                                TaskInfo::getNode, TreeMap::new, Collectors.toList()));
    }

    private void nodes() {
        page.append("<h2>What the nodes did</h2>\n<div class=\"key\">");
        key("local", "all input on the node");
        key("rack", "input in the rack");
        key("remote", "input elsewhere");
        key("none", "no input");
        key("failed", "failed or cancelled");
        page.append("</div>\n");
        byNode().forEach((node, tasks) -> {
            page.append("<div class=\"row\"><b>").append(text(node)).append("</b><div>");
            tasks.stream()
                    .collect(
                            Collectors.groupingBy(
                                    TaskInfo::getSlot, TreeMap::new, Collectors.toList()))
                    .values()
                    .forEach(ofSlot -> lane(Lane.of(ofSlot, span)));
            page.append("</div></div>\n");
        });
        page.append("<div class=\"row\"><span></span><div class=\"axis\">");
        for (int tick = 0; tick <= TICKS; tick++) {
            page.append("<span>")
                    .append(seconds((span.to() - span.from()) * tick / TICKS))
                    .append("</span>");
        }
        page.append("</div></div>\n");
    }

    private void key(String kind, String meaning) {
        page.append("<span><i class=\"%s\"></i>%s</span>".formatted(kind, meaning));
    }

    private void lane(Lane lane) {
        page.append("<div class=\"lane\">");
        for (Lane.Bar bar : lane.bars()) {
            String what =
                    bar.tasks() > 1
                            ? bar.tasks() + " tasks from " + name(bar.first()) + " on"
                            : "task %s, %s: %s"
                                    .formatted(
                                            name(bar.first()),
                                            seconds(span.millis(bar.first())),
                                            command(bar.first()));
            page.append(
                    String.format(
                            Locale.ROOT,
                            "<i class=\"%s\" style=\"left:%.3f%%;width:%.3f%%\" title=\"%s\"></i>",
                            bar.kind(),
                            bar.from() * PERCENT,
                            (bar.to() - bar.from()) * PERCENT,
                            text(what)));
        }
        page.append("</div>");
    }

    private void locality() {
        long most = byNode().values().stream().mapToLong(JobReport::inputBytes).max().orElse(0);
        if (most == 0) {
            return;
        }
        page.append("<h2>Where the input lay</h2>\n<div class=\"key\">");
        key("local", "on the node");
        key("remote", "elsewhere");
        page.append("</div>\n");
        byNode().forEach((node, tasks) -> {
            long all = inputBytes(tasks);
            long local = tasks.stream().mapToLong(TaskInfo::getInputBytesLocal).sum();
            page.append("<div class=\"row\"><b>").append(text(node)).append("</b><div>");
            page.append("<div class=\"bar\">");
            part("local", local, most);
            part("remote", all - local, most);
            page.append("</div><span class=\"note\">")
                    .append(
                            text(
                                    "%d tasks, %s on the node, %s elsewhere"
                                            .formatted(
                                                    tasks.size(),
                                                    Output.bytes(local),
                                                    Output.bytes(all - local))))
                    .append("</span></div></div>\n");
        });
    }

    private void part(String kind, long bytes, long most) {
        if (bytes == 0) {
            return;
        }
        page.append(
                String.format(
                        Locale.ROOT,
                        "<i class=\"%s\" style=\"width:%.3f%%\"></i>",
                        kind,
                        bytes * PERCENT / most));
    }

    private static long inputBytes(List<TaskInfo> tasks) {
        return tasks.stream().mapToLong(TaskInfo::getInputBytes).sum();
    }

    private void table(String title, List<TaskInfo> tasks) {
        List<TaskInfo> shown = tasks.subList(0, Math.min(LISTED_MAX, tasks.size()));
        page.append("<h2>").append(text(title));
        if (shown.size() < tasks.size()) {
            page.append(" (%d of %d)".formatted(shown.size(), tasks.size()));
        }
        page.append(
                "</h2>\n<div class=\"scroll\"><table><tr><th>Task</th><th>Node</th><th class=\"n\">Wait</th><th class=\"n\">Time</th>"
                        + "<th class=\"n\">CPU</th><th class=\"n\">Memory</th><th class=\"n\">Input</th><th>State</th><th>Argument</th></tr>\n");
        for (TaskInfo task : shown) {
            List<String> state = new ArrayList<>(List.of(task.getState()));
            if (!task.getReason().isEmpty()) {
                state.add(task.getReason());
            }
            if (task.getAttempts() > 1) {
                state.add(task.getAttempts() + " attempts");
            }
            page.append(
                    ("<tr><td>%s</td><td>%s</td>"
                                    + "<td class=\"n\">%s</td>".repeat(FIGURES)
                                    + "<td>%s</td><td class=\"c\">%s</td></tr>\n")
                            .formatted(
                                    name(task),
                                    text(task.getNode()),
                                    seconds(Math.max(0, task.getStarted() - task.getQueued())),
                                    seconds(span.millis(task)),
                                    seconds(Math.round(task.getUsage().getCpuMicros() / MILLIS)),
                                    Output.bytes(task.getUsage().getMemoryPeak()),
                                    Output.bytes(task.getInputBytes()),
                                    text(String.join(", ", state)),
                                    text(command(task))));
        }
        page.append("</table></div>\n");
    }

    private static String name(TaskInfo task) {
        return task.getJob() + "." + (task.getIndex() + 1L);
    }

    private static String command(TaskInfo task) {
        String argument = NameText.of(task.getArgument().toByteArray());
        return argument.length() > COMMAND_CHARS_MAX
                ? argument.substring(0, COMMAND_CHARS_MAX) + "…"
                : argument;
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, millis < 10_000 ? "%.2f s" : "%.0f s", millis / MILLIS);
    }

    private String time(long millis) {
        return TIME.format(
                Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).atZone(zone));
    }

    /** Whatever files and jobs are called, it is text. */
    private static String text(String any) {
        return NameText.shown(any)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String style() {
        try (InputStream css = JobReport.class.getResourceAsStream("report.css")) {
            if (css == null) {
                throw new IllegalStateException("report.css is not in the program");
            }
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
