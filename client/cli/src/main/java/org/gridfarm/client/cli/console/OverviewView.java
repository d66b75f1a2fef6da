package org.gridfarm.client.cli.console;

import org.gridfarm.client.cli.health.HealthCode;
import org.gridfarm.client.cli.health.HealthFinding;
import org.gridfarm.client.cli.health.Muted;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ServerInfo;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/** What somebody wants to know first: is it well, how full is it, what is it doing. */
final class OverviewView implements View {
    private static final int FINDINGS_MAX = 5;
    private static final int JOBS_MAX = 8;

    private final Feed feed;
    private final Traffic traffic;
    private final Muted muted;

    OverviewView(Feed feed, Traffic traffic, Muted muted) {
        this.feed = feed;
        this.traffic = traffic;
        this.muted = muted;
    }

    @Override
    public String title(Asked asked) {
        return "Overview";
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        Set<HealthCode> silenced = muted.at(Instant.now()).keySet();
        List<HealthFinding> findings =
                feed.findings().stream().filter(f -> !silenced.contains(f.code())).toList();
        Html html = HealthView.banner(findings, FINDINGS_MAX);
        ClusterStatusReply status = feed.status();
        List<NodeInfo> nodes = feed.nodes();
        long up = nodes.stream().filter(node -> node.getState().equals("up")).count();
        long capacity = nodes.stream().mapToLong(NodeInfo::getCapacity).sum();
        long available = nodes.stream().mapToLong(NodeInfo::getAvailable).sum();
        html.add("<div class=\"figures\">")
                .add(Parts.figure(status.getInodes(), "files and directories", "/files"))
                .add(Parts.figure(up + " / " + nodes.size(), "nodes up", "/nodes"))
                .add(Parts.figure(Parts.bytes(available), "free of " + Parts.bytes(capacity)))
                .add(Parts.figure(status.getReplicasUnder(), "below their level", "/replicas"))
                .add(Parts.figure(status.getRepairQueue(), "repairs queued"))
                .add(Parts.figure(Parts.bytes(status.getRepairBytesLeft()), "to copy"))
                .add(Parts.figure(status.getSessions(), "clients", "/clients"))
                .add("</div>");
        html.add(traffic.charts());
        html.add("<h2>Metaservers</h2>").add(servers(status.getServersList()));
        if (!feed.config().schedulers().isEmpty()) {
            List<JobInfo> jobs = feed.jobs();
            html.add("<h2>Latest jobs</h2>")
                    .add(JobsView.table(jobs.subList(0, Math.min(JOBS_MAX, jobs.size()))));
        }
        return html;
    }

    private static Html servers(List<ServerInfo> servers) {
        Html html =
                new Html()
                        .add(
                                "<div class=\"scroll\"><table><thead><tr><th>Name</th><th>Role</th><th>Address</th>"
                                        + "<th class=\"n\">Revision</th><th class=\"n\">Behind</th><th class=\"n\">Clients</th>"
                                        + "<th class=\"n\">Leases</th><th class=\"n\">Heap</th><th>Problem</th></tr></thead><tbody>");
        for (ServerInfo server : servers) {
            html.add(
                    "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            + "<td class=\"n\">{}</td><td class=\"n\">{} %</td><td>{}</td></tr>",
                    server.getName(),
                    Parts.state(server.getRole()),
                    server.getAddress(),
                    server.getRevision(),
                    server.getLag(),
                    server.getClients(),
                    server.getLeases(),
                    server.getHeapPercent(),
                    server.getProblem());
        }
        return html.add("</tbody></table></div>");
    }
}
