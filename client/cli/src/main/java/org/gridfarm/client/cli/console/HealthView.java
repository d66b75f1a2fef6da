package org.gridfarm.client.cli.console;

import org.gridfarm.client.cli.health.HealthCode;
import org.gridfarm.client.cli.health.HealthFinding;
import org.gridfarm.client.cli.health.Muted;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** All findings with cause and cure, and what is muted on this machine. */
final class HealthView implements View {
    private final Feed feed;
    private final Muted muted;

    HealthView(Feed feed, Muted muted) {
        this.feed = feed;
        this.muted = muted;
    }

    @Override
    public String title(Asked asked) {
        return "Health";
    }

    private static boolean isError(HealthFinding finding) {
        return finding.code().severity() == HealthCode.Severity.ERROR;
    }

    /** The first findings in short, or that all is well. */
    static Html banner(List<HealthFinding> findings, int most) {
        if (findings.isEmpty()) {
            return new Html().add("<p class=\"banner good\"><b>OK</b> Nothing is wrong.</p>");
        }
        Html html =
                Html.of(
                        "<div class=\"banner {}\"><ul>",
                        findings.stream().anyMatch(HealthView::isError) ? "bad" : "warn");
        findings.stream()
                .limit(most)
                .forEach(finding ->
                        html.add("<li><b>{}</b> {}</li>", finding.code().name(), finding.cause()));
        return html.add("</ul><a href=\"/health\">what to do</a></div>");
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        List<HealthFinding> findings = feed.findings();
        Map<HealthCode, Instant> silenced = muted.at(Instant.now());
        List<HealthFinding> told =
                findings.stream().filter(f -> !silenced.containsKey(f.code())).toList();
        Html html = new Html();
        if (told.isEmpty()) html.add(banner(told, 0));
        for (HealthFinding finding : told) {
            html.add(
                    "<section class=\"finding {}\"><h2>{} <span>{}</span></h2><p>{}</p><p><b>What to do:</b> {}</p><p class=\"note\">{}</p>",
                    isError(finding) ? "bad" : "warn",
                    finding.code().name(),
                    isError(finding) ? "error" : "warning",
                    finding.cause(),
                    finding.cure(),
                    finding.code().meaning());
            if (!finding.details().isEmpty()) {
                html.add("<ul>");
                finding.details().forEach(line -> html.add("<li>{}</li>", line));
                html.add("</ul>");
            }
            if (viewer.mayAct()) {
                html.add(
                        "<p><a class=\"button\" href=\"/confirm?act=mute&amp;what={}\">Mute for a week</a></p>",
                        finding.code().name());
            }
            html.add("</section>");
        }
        if (!silenced.isEmpty()) {
            html.add("<h2>Muted on this machine</h2><ul>");
            silenced.forEach((code, until) -> {
                html.add("<li><b>{}</b> until {}", code.name(), until);
                if (viewer.mayAct()) {
                    html.add(
                            " <a class=\"button\" href=\"/confirm?act=unmute&amp;what={}\">Unmute</a>",
                            code.name());
                }
                html.add("</li>");
            });
            html.add("</ul>");
        }
        return html;
    }
}
