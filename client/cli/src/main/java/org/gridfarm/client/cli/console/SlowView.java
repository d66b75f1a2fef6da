package org.gridfarm.client.cli.console;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The last requests that took long, of the leader and of all nodes. */
final class SlowView implements View {
    private static final int SHOWN = 200;

    private final Feed feed;

    SlowView(Feed feed) {
        this.feed = feed;
    }

    private record Slow(String server, JsonNode request) {}

    @Override
    public String title(Asked asked) {
        return "Slow requests";
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        List<Slow> all = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        long threshold = 0;
        for (Map.Entry<String, JsonNode> server :
                feed.look("slow", Map.of()).get("nodes").properties()) {
            JsonNode told = server.getValue();
            if (told.has("failure")) {
                silent.add(server.getKey() + ": " + told.get("failure").asString());
                continue;
            }
            threshold = Math.max(threshold, told.get("threshold_ms").asLong());
            told.get("slow").forEach(request -> all.add(new Slow(server.getKey(), request)));
        }
        all.sort(
                Comparator.comparing((Slow slow) -> slow.request().get("ended").asString())
                        .reversed());
        Html html = new Html();
        silent.forEach(line -> html.add(Parts.note(line)));
        html.add(
                Parts.note(
                        all.isEmpty()
                                ? "No request took longer than " + threshold + " ms."
                                : all.size()
                                        + " requests took longer than "
                                        + threshold
                                        + " ms (slow_request in the servers' configuration)."));
        if (all.isEmpty()) return html;
        html.add(
                "<div class=\"scroll\"><table data-filter><thead><tr><th>Ended</th><th>Server</th><th>Method</th><th class=\"n\">Took</th>"
                        + "<th>Result</th><th>User</th><th>From</th><th>Request</th><th>Trace</th></tr></thead><tbody>");
        for (Slow slow : all.subList(0, Math.min(SHOWN, all.size()))) {
            JsonNode request = slow.request();
            String result = request.get("result").asString();
            html.add(
                    "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{} ms</td><td>{}</td><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    request.get("ended").asString(),
                    slow.server(),
                    request.get("method").asString(),
                    request.get("ms").asLong(),
                    Parts.chip(result.equals("ok") ? "good" : "bad", result),
                    request.get("who").asString(),
                    request.get("user").asString(),
                    request.get("from").asString(),
                    request.get("request").asString(),
                    request.path("trace").asString(""));
        }
        return html.add("</tbody></table></div>");
    }
}
