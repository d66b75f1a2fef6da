package org.gridfarm.client.cli.console;

import org.gridfarm.client.cli.Output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** What several pages show the same way. */
final class Parts {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final double MILLIS = 1e3;
    private static final int SECONDS_SHOWN_MAX = 120;
    private static final double PERCENT = 100;

    private Parts() {}

    /** A word in a coloured chip: {@code good}, {@code warn}, {@code bad} or {@code plain}. */
    static Html chip(String kind, String word) {
        return Html.of("<span class=\"chip {}\">{}</span>", kind, word);
    }

    /** Of a node, a job or a task. */
    static Html state(String state) {
        String kind =
                switch (state) {
                    case "up", "succeeded", "leader", "valid" -> "good";
                    case "suspect", "draining", "pending", "stale", "cancelled" -> "warn";
                    case "down", "failed", "corrupt", "lost" -> "bad";
                    case "running" -> "busy";
                    default -> "plain";
                };
        return chip(kind, state);
    }

    static Html figure(Object value, String what) {
        return Html.of("<div class=\"figure\"><b>{}</b><span>{}</span></div>", value, what);
    }

    static Html figure(Object value, String what, String link) {
        return Html.of(
                "<a class=\"figure\" href=\"{}\"><b>{}</b><span>{}</span></a>", link, value, what);
    }

    /** So much of a whole as a bar, nearly full ones in another colour. */
    static Html share(double part, String told) {
        double percent = Math.clamp(part, 0.0, 1.0) * PERCENT;
        String kind = percent > 95 ? "bad" : percent > 80 ? "warn" : "good";
        return Html.of(
                "<svg class=\"share\" role=\"img\" aria-label=\"{}\"><title>{}</title><rect class=\"rest\" width=\"100%\" height=\"100%\"/>"
                        + "<rect class=\"{}\" width=\"{}%\" height=\"100%\"/></svg>",
                told, told, kind, String.format(Locale.ROOT, "%.1f", percent));
    }

    static Html note(String text) {
        return Html.of("<p class=\"note\">{}</p>", text);
    }

    static String bytes(long count) {
        return Output.bytes(count);
    }

    /** Milliseconds since 1970; 0 is not yet. */
    static String time(long millis) {
        return millis == 0
                ? "-"
                : TIME.format(Instant.ofEpochMilli(millis).atZone(ZoneId.systemDefault()));
    }

    static String lasted(long millis) {
        double seconds = Math.max(0, millis) / MILLIS;
        if (seconds < SECONDS_SHOWN_MAX) return String.format(Locale.ROOT, "%.1f s", seconds);
        Duration duration = Duration.ofMillis(millis);
        return duration.toHours() > 0
                ? duration.toHours() + " h " + duration.toMinutesPart() + " min"
                : duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
    }

    /** Links to the pages before and after, where there are any. */
    static Html pages(Asked asked, long page, long size, long total) {
        long last = Math.max(0, (total - 1) / size);
        if (last == 0) return new Html();
        Html html = new Html().add("<nav class=\"pages\" aria-label=\"pages\">");
        if (page > 0) {
            html.add(
                    "<a rel=\"prev\" href=\"{}\">&larr; previous</a> ",
                    asked.with("page", page - 1));
        }
        html.add(
                "<span>{}&ndash;{} of {}</span>",
                page * size + 1,
                Math.min(total, (page + 1) * size),
                total);
        if (page < last) {
            html.add(" <a rel=\"next\" href=\"{}\">next &rarr;</a>", asked.with("page", page + 1));
        }
        return html.add("</nav>");
    }
}
