package org.gridfarm.client.cli.console;

import org.gridfarm.client.cli.report.Lane;
import org.gridfarm.client.cli.report.Span;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.TaskInfo;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One job: what each slot of each node did when, where the input lay, and its tasks. */
final class JobView implements View {
    private static final int SHOWN = 100;
    private static final int TICKS = 6;
    private static final double PERCENT = 100;

    /** The narrowest bar that is seen. */
    private static final double BAR_PERCENT_MIN = 0.15;

    private final Feed feed;

    JobView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return "Job " + asked.number("id", 0, Long.MAX_VALUE);
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        Feed.WholeJob whole = feed.job(asked.number("id", 0, Long.MAX_VALUE));
        JobInfo job = whole.job();
        boolean isOwn = job.getUser().equals(feed.user());
        boolean isOver = job.getEnded() != 0;
        Html html =
                Html.of(
                        "<p><b>{}</b> of {}, submitted {} {}",
                        job.getName(),
                        job.getUser(),
                        Parts.time(job.getSubmitted()),
                        Parts.state(job.getState()));
        if (isOwn && !isOver && viewer.mayAct()) {
            html.add(
                    " <a class=\"button\" href=\"/confirm?act=cancel&amp;what={}\">Cancel job</a>",
                    job.getId());
        }
        html.add("</p>");
        if (!job.getWaiting().isEmpty()) html.add(Parts.note("Waits: " + job.getWaiting()));
        html.add("<div class=\"figures\">")
                .add(Parts.figure(job.getTasks(), "tasks"))
                .add(Parts.figure(job.getSucceeded(), "succeeded"))
                .add(Parts.figure(job.getFailed(), "failed"))
                .add(Parts.figure(job.getRunning(), "running"))
                .add(Parts.figure(job.getPending(), "waiting"))
                .add(Parts.figure(JobsView.locality(job), "of the input lay where it was read"))
                .add("</div>");
        List<TaskInfo> started =
                whole.tasks().stream().filter(task -> task.getStarted() > 0).toList();
        if (!started.isEmpty()) html.add(timeline(started)).add(bars(started));
        return html.add(tasks(asked, whole.tasks()));
    }

    private static Map<String, List<TaskInfo>> byNode(List<TaskInfo> tasks) {
        return tasks.stream()
                .collect(
                        Collectors.groupingBy(
                                TaskInfo::getNode, TreeMap::new, Collectors.toList()));
    }

    private static Html timeline(List<TaskInfo> started) {
        Span span = Span.of(started, System.currentTimeMillis());
        Html html = new Html().add("<h2>What the nodes did</h2>").add(key());
        byNode(started)
                .forEach((node, ofNode) -> {
                    html.add("<div class=\"lanes\"><b>{}</b><div>", node);
                    ofNode.stream()
                            .collect(
                                    Collectors.groupingBy(
                                            TaskInfo::getSlot, TreeMap::new, Collectors.toList()))
                            .values()
                            .forEach(ofSlot -> html.add(lane(Lane.of(ofSlot, span), span)));
                    html.add("</div></div>");
                });
        html.add("<div class=\"lanes\"><span></span><div class=\"axis\">");
        for (int tick = 0; tick <= TICKS; tick++) {
            html.add("<span>{}</span>", Parts.lasted((span.to() - span.from()) * tick / TICKS));
        }
        return html.add("</div></div>");
    }

    private static Html key() {
        return new Html()
                .add(
                        "<p class=\"key\"><i class=\"local\"></i>all input on the node <i class=\"rack\"></i>in the rack "
                                + "<i class=\"remote\"></i>elsewhere <i class=\"none\"></i>no input <i class=\"failed\"></i>failed or cancelled</p>");
    }

    private static Html lane(Lane lane, Span span) {
        Html html = new Html().add("<svg class=\"lane\">");
        for (Lane.Bar bar : lane.bars()) {
            String what =
                    bar.tasks() > 1
                            ? bar.tasks() + " tasks from " + name(bar.first()) + " on"
                            : "task %s, %s: %s"
                                    .formatted(
                                            name(bar.first()),
                                            Parts.lasted(span.millis(bar.first())),
                                            NameText.of(bar.first().getArgument().toByteArray()));
            html.add(
                    "<rect class=\"{}\" x=\"{}%\" width=\"{}%\" height=\"100%\"><title>{}</title></rect>",
                    bar.kind(),
                    percent(bar.from() * PERCENT),
                    percent(Math.max(BAR_PERCENT_MIN, (bar.to() - bar.from()) * PERCENT)),
                    what);
        }
        return html.add("</svg>");
    }

    private static String percent(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String name(TaskInfo task) {
        return Integer.toString(task.getIndex() + 1);
    }

    /** Bytes of input that lay on each node, and that it fetched. */
    private static Html bars(List<TaskInfo> started) {
        Map<String, List<TaskInfo>> byNode = byNode(started);
        long most =
                byNode.values().stream()
                        .mapToLong(ts -> ts.stream().mapToLong(TaskInfo::getInputBytes).sum())
                        .max()
                        .orElse(0);
        if (most == 0) return new Html();
        Html html = new Html().add("<h2>Where the input lay</h2>");
        byNode.forEach((node, tasks) -> {
            long all = tasks.stream().mapToLong(TaskInfo::getInputBytes).sum();
            long local = tasks.stream().mapToLong(TaskInfo::getInputBytesLocal).sum();
            html.add(
                    "<div class=\"lanes\"><b>{}</b><div><svg class=\"lane\"><rect class=\"local\" width=\"{}%\" height=\"100%\"/>"
                            + "<rect class=\"remote\" x=\"{}%\" width=\"{}%\" height=\"100%\"/></svg><span class=\"note\">{}</span></div></div>",
                    node,
                    percent(local * PERCENT / most),
                    percent(local * PERCENT / most),
                    percent((all - local) * PERCENT / most),
                    "%d tasks, %s on the node, %s elsewhere"
                            .formatted(tasks.size(), Parts.bytes(local), Parts.bytes(all - local)));
        });
        return html;
    }

    private static Html tasks(Asked asked, List<TaskInfo> all) {
        String state = asked.text("state");
        List<TaskInfo> tasks =
                state.isEmpty()
                        ? all
                        : all.stream().filter(task -> task.getState().equals(state)).toList();
        long page = asked.number("page", 0, tasks.size() / SHOWN);
        Html html = new Html().add("<h2>Tasks</h2><nav class=\"tabs\" aria-label=\"state\">");
        for (String choice : List.of("", "running", "failed", "pending", "succeeded")) {
            html.add(
                    "<a href=\"/job?id={}&amp;state={}\"{}>{}</a> ",
                    asked.number("id", 0, Long.MAX_VALUE),
                    choice,
                    choice.equals(state) ? Html.of(" aria-current=\"true\"") : new Html(),
                    choice.isEmpty() ? "all" : choice);
        }
        html.add(
                "</nav><div class=\"scroll\"><table data-filter><thead><tr><th class=\"n\">Task</th><th>State</th><th>Node</th><th>Input</th>"
                        + "<th class=\"n\">Tries</th><th class=\"n\">Exit</th><th class=\"n\">Waited</th><th class=\"n\">Took</th>"
                        + "<th>Argument</th><th>Reason</th></tr></thead><tbody>");
        int from = (int) page * SHOWN;
        for (TaskInfo task : tasks.subList(from, Math.min(tasks.size(), from + SHOWN))) {
            long now = System.currentTimeMillis();
            boolean ran = task.getStarted() > 0;
            html.add(
                    "<tr><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            + "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"long\">{}</td><td>{}</td></tr>",
                    task.getIndex() + 1,
                    Parts.state(task.getState()),
                    task.getNode(),
                    task.getLocality(),
                    task.getAttempts(),
                    task.getEnded() == 0
                            ? ""
                            : task.getSignal() != 0
                                    ? "signal " + task.getSignal()
                                    : task.getExitCode(),
                    ran ? Parts.lasted(task.getStarted() - task.getQueued()) : "-",
                    ran
                            ? Parts.lasted(
                                    (task.getEnded() == 0 ? now : task.getEnded())
                                            - task.getStarted())
                            : "-",
                    NameText.of(task.getArgument().toByteArray()),
                    task.getReason());
        }
        return html.add("</tbody></table></div>")
                .add(Parts.pages(asked, page, SHOWN, tasks.size()));
    }
}
