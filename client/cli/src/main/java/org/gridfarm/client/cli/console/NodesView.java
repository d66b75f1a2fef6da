package org.gridfarm.client.cli.console;

import org.gridfarm.protocol.wire.NodeInfo;

import java.util.Locale;

/** Every storage node: state, place, space. */
final class NodesView implements View {
    private static final double MILLIS = 1e3;

    private final Feed feed;

    NodesView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return "Nodes";
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        Html html =
                new Html()
                        .add(
                                "<div class=\"scroll\"><table data-filter><thead><tr><th>Node</th><th>State</th><th>Rack</th><th>Group</th><th>Address</th>"
                                        + "<th class=\"n\">Slots</th><th class=\"n\">Load</th><th class=\"n\">Replicas</th><th>Disk used</th>"
                                        + "<th class=\"n\">Free</th><th class=\"n\">Read</th><th class=\"n\">Written</th>"
                                        + "<th class=\"n\">Bad</th><th class=\"n\">Heard</th></tr></thead><tbody>");
        for (NodeInfo node : feed.nodes()) {
            double used =
                    node.getCapacity() == 0
                            ? 0
                            : 1 - (double) node.getAvailable() / node.getCapacity();
            html.add(
                    "<tr><td><b>{}</b></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            + "<td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            + "<td class=\"n\">{}</td><td class=\"n\">{} s ago</td></tr>",
                    node.getName(),
                    Parts.state(node.getState()),
                    node.getRack(),
                    node.getGroup(),
                    node.getAddress(),
                    node.getSlots(),
                    String.format(Locale.ROOT, "%.2f", node.getLoad()),
                    node.getReplicas(),
                    Parts.share(
                            used,
                            String.format(
                                    Locale.ROOT,
                                    "%.0f %% of %s used",
                                    used * 100,
                                    Parts.bytes(node.getCapacity()))),
                    Parts.bytes(node.getAvailable()),
                    Parts.bytes(node.getReadBytes()),
                    Parts.bytes(node.getWrittenBytes()),
                    node.getBadBlocks(),
                    String.format(Locale.ROOT, "%.1f", node.getLastSeenMillisAgo() / MILLIS));
        }
        html.add("</tbody></table></div>")
                .add(
                        Parts.note(
                                "Read, written and bad blocks: since the node started. To empty, remove or replace a node: gf node --help."));
        return html.add(balance(viewer));
    }

    /** Its state, and how to hold it or let it go on. */
    private Html balance(Viewer viewer) {
        try {
            String state =
                    feed.look("balance", java.util.Map.of("action", "status"))
                            .get("state")
                            .asString();
            Html html = Html.of("<h2>Balance</h2><p>{} ", Parts.state(state));
            String action =
                    state.equals("active") ? "pause" : state.equals("paused") ? "resume" : "";
            if (!action.isEmpty() && viewer.mayAct()) {
                html.add(
                        "<a class=\"button\" href=\"/confirm?act=balance&amp;what={}\">{} balance</a>",
                        action,
                        action.equals("pause") ? "Pause" : "Resume");
            }
            return html.add("</p>");
        } catch (org.gridfarm.protocol.error.FarmException e) {
            return Html.of("<h2>Balance</h2>").add(Parts.note(String.valueOf(e.getMessage())));
        }
    }
}
