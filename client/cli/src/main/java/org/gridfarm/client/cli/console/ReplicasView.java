package org.gridfarm.client.cli.console;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.ListReplicasReply;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaProblem;

import tools.jackson.databind.JsonNode;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How many files want so many copies and have so many that can be read, and on request the files of
 * one cell.
 */
final class ReplicasView implements View {
    private static final int LISTED = 100;

    private final Feed feed;

    ReplicasView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return "Replicas";
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        JsonNode document = feed.look("matrix", Map.of());
        Map<Integer, Map<Integer, Long>> rows = new TreeMap<>();
        TreeSet<Integer> columns = new TreeSet<>();
        int most = 1;
        for (JsonNode cell : document.get("cells")) {
            int wanted = cell.get("wanted").asInt();
            int live = cell.get("live").asInt();
            rows.computeIfAbsent(wanted, w -> new TreeMap<>())
                    .put(live, cell.get("files").asLong());
            most = Math.max(most, Math.max(wanted, live));
        }
        for (int live = 0; live <= most; live++) columns.add(live);
        Html html =
                new Html()
                        .add(
                                "<table class=\"matrix\"><caption>Files by the copies they want and the copies that can be read now</caption>"
                                        + "<thead><tr><th scope=\"col\">wanted \\ can be read</th>");
        for (int live : columns) html.add("<th scope=\"col\" class=\"n\">{}</th>", live);
        html.add("</tr></thead><tbody>");
        rows.forEach((wanted, cells) -> {
            html.add("<tr><th scope=\"row\">{}</th>", wanted);
            for (int live : columns) {
                long files = cells.getOrDefault(live, 0L);
                if (files == 0) {
                    html.add("<td class=\"n none\">&middot;</td>");
                } else {
                    html.add(
                            "<td class=\"n {}\"><a href=\"/replicas?wanted={}&amp;live={}\">{}</a></td>",
                            kind(wanted, live),
                            wanted,
                            live,
                            files);
                }
            }
            html.add("</tr>");
        });
        html.add("</tbody></table>");
        if (rows.isEmpty()) html.add(Parts.note("No file has content yet."));
        long unsettled = document.get("unsettled").asLong();
        if (unsettled > 0) html.add(Parts.note(unsettled + " more are being counted again."));
        if (asked.parameters().containsKey("wanted")) html.add(files(asked));
        return html;
    }

    private static String kind(int wanted, int live) {
        if (live == 0) return "bad";
        return live < wanted ? "warn" : live == wanted ? "good" : "more";
    }

    private Html files(Asked asked) {
        long wanted = asked.number("wanted", 0, 99);
        long live = asked.number("live", 0, 99);
        long after = asked.number("after", 0, Long.MAX_VALUE);
        ListReplicasReply reply =
                feed.once(
                        asked.with("", ""),
                        ListReplicasReply.class,
                        () ->
                                feed.farm()
                                        .callLeader(
                                                MetadataMethods.LIST_REPLICAS,
                                                ListReplicasRequest.newBuilder()
                                                        .setKind("level:" + wanted + "/" + live)
                                                        .setAfter(after)
                                                        .setLimit(LISTED)
                                                        .build()));
        Html html =
                Html.of(
                        "<h2>{} files want {} and have {}</h2><div class=\"scroll\"><table data-filter><thead><tr><th>Path</th>"
                                + "<th class=\"n\">Size</th><th>Copies</th><th>Why</th></tr></thead><tbody>",
                        reply.getTotal(),
                        wanted,
                        live);
        for (ReplicaProblem file : reply.getProblemsList()) {
            String path = NameText.of(file.getPath().toByteArray());
            Html copies = new Html();
            for (Replica replica : file.getReplicasList()) copies.add(FileView.copy(replica));
            html.add(
                    "<tr><td><a href=\"/file?path={}\">{}</a></td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
                    Asked.encode(path),
                    path,
                    Parts.bytes(file.getSize()),
                    copies,
                    live < wanted ? file.getReason() : "");
        }
        html.add("</tbody></table></div>");
        if (!reply.getEnd()) {
            html.add(
                    "<nav class=\"pages\"><a rel=\"next\" href=\"{}\">next &rarr;</a></nav>",
                    asked.with("after", reply.getLast()));
        }
        return html;
    }
}
