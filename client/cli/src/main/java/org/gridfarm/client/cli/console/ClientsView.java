package org.gridfarm.client.cli.console;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.Map;

/** Who has a session at the leader, what each holds, and of one of them which files. */
final class ClientsView implements View {
    private static final double MILLIS = 1e3;
    private static final int SHOWN = 100;
    private static final int PATHS_SHOWN = 200; // as of leases

    private final Feed feed;

    ClientsView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return asked.text("session").isEmpty() ? "Clients" : "Client " + asked.text("session");
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        String session = asked.text("session");
        return session.isEmpty()
                ? all(asked)
                : one(session, feed.look("clients", Map.of("session", session)));
    }

    /** How each session stands that decides in directories of its own; by session. */
    private Map<String, JsonNode> deciding(Map<String, String> more) {
        Map<String, JsonNode> bySession = new HashMap<>();
        for (JsonNode one : feed.look("delegations", more).get("sessions")) {
            bySession.put(one.get("session").asString(), one);
        }
        return bySession;
    }

    private static Html own(@Nullable JsonNode deciding) {
        if (deciding == null) return Html.of("");
        long directories = deciding.get("directories").asLong();
        long asked = deciding.get("asked_back").asLong();
        return asked == 0
                ? Html.of("{}", directories)
                : Html.of("{} {}", directories, Parts.chip("warn", asked + " asked back"));
    }

    private Html all(Asked asked) {
        JsonNode document = feed.look("clients", Map.of());
        JsonNode clients = document.get("clients");
        Map<String, JsonNode> deciding = deciding(Map.of());
        long page = asked.number("page", 0, clients.size() / SHOWN);
        Html html =
                new Html()
                        .add(
                                "<div class=\"scroll\"><table data-filter><thead><tr><th>Session</th><th>Client</th><th>User</th><th>Role</th>"
                                        + "<th>Node</th><th>From</th><th class=\"n\">Leases</th><th class=\"n\">Open</th>"
                                        + "<th class=\"n\">Writing</th><th class=\"n\">Owes</th><th class=\"n\">Own</th>"
                                        + "<th class=\"n\">Lease</th></tr></thead><tbody>");
        for (int i = (int) page * SHOWN; i < Math.min(clients.size(), (page + 1) * SHOWN); i++) {
            JsonNode client = clients.get(i);
            String session = client.get("session").asString();
            String from = client.get("from").asString();
            html.add(
                    "<tr><td><a href=\"/clients?session={}\"><code>{}</code></a></td><td>{}</td><td title=\"{}\">{}</td><td>{}</td>"
                            + "<td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            + "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} s</td></tr>",
                    session,
                    session,
                    client.get("client").asString(),
                    client.get("who").asString(),
                    client.get("user").asString(),
                    client.get("role").asString(),
                    client.get("node").asString(),
                    from.isEmpty() ? Parts.chip("warn", "not connected") : from,
                    client.get("leases").asLong(),
                    client.get("open_files").asLong(),
                    client.get("open_for_writing").asLong(),
                    client.get("recalls_owed").asLong(),
                    own(deciding.get(session)),
                    String.format(
                            java.util.Locale.ROOT,
                            "%.1f",
                            client.get("lease_ms").asLong() / MILLIS));
        }
        return html.add("</tbody></table></div>")
                .add(Parts.pages(asked, page, SHOWN, clients.size()))
                .add(
                        Parts.note(
                                document.get("total").asLong()
                                        + " sessions at the leader, those with most leases first. Leases held at cache servers are on the overview. "
                                        + "Owes: recalls that the client has not answered yet. Own: directories in which a mount decides by itself."));
    }

    private Html one(String session, JsonNode client) {
        Html html =
                Html.of(
                        "<p>{} of <b>{}</b> ({}), from {}</p>",
                        client.get("client").asString(),
                        client.get("user").asString(),
                        client.get("who").asString(),
                        client.get("from").asString());
        html.add(
                "<h2>{} open files</h2><div class=\"scroll\"><table data-filter><thead><tr><th>Path</th><th>For</th>"
                        + "<th class=\"n\">User</th></tr></thead><tbody>",
                client.get("open_files").asLong());
        for (JsonNode file : client.get("open")) {
            String path = file.get("path").asString();
            boolean reads = file.get("read").asBoolean();
            boolean writes = file.get("write").asBoolean();
            html.add(
                    "<tr><td><a href=\"/file?path={}\">{}</a></td><td>{}</td><td class=\"n\">{}</td></tr>",
                    Asked.encode(path),
                    path,
                    writes ? (reads ? "reading and writing" : "writing") : "reading",
                    file.get("uid").asLong());
        }
        html.add(
                "</tbody></table></div><h2>{} leases</h2><ul class=\"paths\">",
                client.get("leases").asLong());
        for (JsonNode path : client.get("held")) html.add("<li>{}</li>", path.asString());
        html.add("</ul>");
        JsonNode deciding = deciding(Map.of("paths", "yes")).get(session);
        if (deciding != null) {
            html.add("<h2>{} directories of its own</h2><ul class=\"paths\">", own(deciding));
            deciding.get("paths").values().stream()
                    .limit(PATHS_SHOWN)
                    .forEach(path -> html.add("<li>{}</li>", path.asString()));
            html.add("</ul>");
        }
        return html.add(Parts.note("At most 200 of each are shown."));
    }
}
