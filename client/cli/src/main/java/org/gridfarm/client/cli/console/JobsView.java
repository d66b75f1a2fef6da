package org.gridfarm.client.cli.console;

import org.gridfarm.protocol.wire.JobInfo;

import java.util.List;

/** All jobs, the newest first. */
final class JobsView implements View {
    private static final int SHOWN = 50;
    private static final long PERCENT = 100;

    private final Feed feed;

    JobsView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return "Jobs";
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        if (feed.config().schedulers().isEmpty()) {
            return Parts.note("The configuration of this console names no scheduler.");
        }
        List<JobInfo> jobs = feed.jobs();
        long page = asked.number("page", 0, jobs.size() / SHOWN);
        int from = (int) page * SHOWN;
        return new Html()
                .add(table(jobs.subList(from, Math.min(jobs.size(), from + SHOWN))))
                .add(Parts.pages(asked, page, SHOWN, jobs.size()));
    }

    static Html table(List<JobInfo> jobs) {
        if (jobs.isEmpty()) return Parts.note("There are no jobs.");
        Html html =
                new Html()
                        .add(
                                "<div class=\"scroll\"><table data-filter><thead><tr><th class=\"n\">Job</th><th>Name</th><th>User</th><th>State</th>"
                                        + "<th>Tasks</th><th class=\"n\">Local input</th><th>Submitted</th><th class=\"n\">Took</th>"
                                        + "<th>Waits for</th></tr></thead><tbody>");
        for (JobInfo job : jobs) {
            long end = job.getEnded() == 0 ? System.currentTimeMillis() : job.getEnded();
            html.add(
                    "<tr><td class=\"n\"><a href=\"/job?id={}\">{}</a></td><td class=\"long\">{}</td><td>{}</td><td>{}</td><td>{}</td>"
                            + "<td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                    job.getId(),
                    job.getId(),
                    job.getName(),
                    job.getUser(),
                    Parts.state(job.getState()),
                    progress(job),
                    locality(job),
                    Parts.time(job.getSubmitted()),
                    job.getStarted() == 0 ? "-" : Parts.lasted(end - job.getStarted()),
                    job.getWaiting());
        }
        return html.add("</tbody></table></div>");
    }

    static String locality(JobInfo job) {
        long read = job.getInputBytesLocal() + job.getInputBytesRemote();
        return read == 0 ? "-" : job.getInputBytesLocal() * PERCENT / read + " %";
    }

    /** Tasks that succeeded, failed, run and wait, as parts of one bar. */
    static Html progress(JobInfo job) {
        double all = Math.max(1, job.getTasks());
        String told =
                "%d of %d done, %d failed, %d running"
                        .formatted(
                                job.getSucceeded(),
                                job.getTasks(),
                                job.getFailed(),
                                job.getRunning());
        Html bar =
                Html.of(
                        "<svg class=\"share\" role=\"img\" aria-label=\"{}\"><title>{}</title><rect class=\"rest\" width=\"100%\" height=\"100%\"/>",
                        told, told);
        double at = part(bar, "good", 0, job.getSucceeded() / all);
        at = part(bar, "bad", at, job.getFailed() / all);
        at = part(bar, "warn", at, job.getCancelled() / all);
        part(bar, "busy", at, job.getRunning() / all);
        return bar.add("</svg> {}/{}", job.getSucceeded(), job.getTasks());
    }

    private static double part(Html bar, String kind, double from, double width) {
        if (width <= 0) return from;
        bar.add(
                "<rect class=\"{}\" x=\"{}%\" width=\"{}%\" height=\"100%\"/>",
                kind,
                String.format(java.util.Locale.ROOT, "%.2f", from * PERCENT),
                String.format(java.util.Locale.ROOT, "%.2f", width * PERCENT));
        return from + width;
    }
}
