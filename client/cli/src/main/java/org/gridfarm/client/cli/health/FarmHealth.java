package org.gridfarm.client.cli.health;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.doctor.Cure;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ServerInfo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Judges what the farm says of itself. Pure: facts in, findings out. */
public final class FarmHealth {
    /** A node with a smaller share of free space is nearly full. */
    private static final double FREE_SHARE_MIN = 0.05;

    /** Free shares of nodes that differ by more are worth a balance. */
    private static final double UNEVEN_MAX = 0.4;

    /** Batches that tables or caches may be behind: a few seconds of a busy farm. */
    private static final long BEHIND_MAX = 5_000;

    /** A restart of PostgreSQL takes less. */
    private static final long SILENT_MILLIS_MAX = 5_000;

    private static final Duration EXPIRES_SOON = Duration.ofDays(14);

    /** Of its life, where that is short, as that of a proxy is. */
    private static final int EXPIRES_SOON_PART = 6;

    private final List<HealthFinding> findings = new ArrayList<>();

    private FarmHealth() {}

    /**
     * @param drains what the farm says of each node that is being emptied
     */
    public static List<HealthFinding> of(
            ClusterStatusReply status, List<NodeInfo> nodes, Map<String, NodeControlReply> drains) {
        FarmHealth health = new FarmHealth();
        List<NodeInfo> there =
                nodes.stream().filter(node -> !node.getState().equals("removed")).toList();
        health.files(status, there);
        health.servers(status);
        health.delegations(status);
        there.forEach(health::node);
        health.space(there);
        drains.forEach(health::drain);
        return health.findings;
    }

    /** Where asking failed. */
    public static HealthFinding unreachable(FarmException failure) {
        HealthCode code =
                switch (failure.kind()) {
                    case NOT_AUTHENTICATED, ACCESS_DENIED, NOT_PERMITTED, TICKET_REFUSED ->
                            HealthCode.ACCESS_REFUSED;
                    default -> HealthCode.NO_METASERVER_ANSWERS;
                };
        String cure =
                code == HealthCode.ACCESS_REFUSED
                        ? "gf auth check names the link that fails"
                        : "see whether metaservers, PostgreSQL and ZooKeeper run (systemctl status 'gridfarm-*'), then gf doctor";
        return HealthFinding.of(
                code,
                1,
                String.valueOf(failure.getMessage()),
                Cure.of(failure.kind()).isEmpty() || code != HealthCode.ACCESS_REFUSED
                        ? cure
                        : cure + "; " + Cure.of(failure.kind()));
    }

    /** What the certificate that is used here says. */
    public static List<HealthFinding> certificate(
            String file, Instant notBefore, Instant notAfter, Instant now) {
        if (now.isAfter(notAfter)) {
            return List.of(
                    HealthFinding.of(
                            HealthCode.CERTIFICATE_EXPIRED,
                            1,
                            file + " ran out at " + notAfter,
                            "a proxy: gf proxy init; a host: gf ca renew " + file));
        }
        Duration part = Duration.between(notBefore, notAfter).dividedBy(EXPIRES_SOON_PART);
        Duration soon = part.compareTo(EXPIRES_SOON) < 0 ? part : EXPIRES_SOON;
        if (now.plus(soon).isAfter(notAfter)) {
            return List.of(
                    HealthFinding.of(
                            HealthCode.CERTIFICATE_EXPIRES,
                            1,
                            file + " runs out at " + notAfter,
                            "a proxy: gf proxy init; a host: gf ca renew " + file));
        }
        return List.of();
    }

    private void files(ClusterStatusReply status, List<NodeInfo> nodes) {
        count(
                HealthCode.FILES_LOST,
                status.getReplicasLost(),
                "without a good replica",
                "gf replicas --lost; bring back the node that had it, or restore them from elsewhere");
        count(
                HealthCode.FILES_CORRUPT,
                status.getReplicasCorrupt(),
                "with a corrupt replica",
                "nothing where a good copy is left, it is made again; gf replicas --corrupt lists them");
        List<String> silent =
                nodes.stream().filter(FarmHealth::isSilent).map(NodeInfo::getName).toList();
        count(
                HealthCode.FILES_AWAY,
                status.getReplicasAway(),
                "on silent nodes alone (" + String.join(" ", silent) + ")",
                "start these nodes; nothing is deleted meanwhile. gf replicas --away lists them");
        boolean room = nodes.stream().anyMatch(node -> isUp(node) && node.getAvailable() > 0);
        long under = status.getReplicasUnder();
        if (under > 0 && status.getRepairQueue() == 0 && !room) {
            count(
                    HealthCode.REPAIR_HAS_NO_ROOM,
                    under,
                    "with too few replicas, and no node has room",
                    "delete files, add nodes (gf node add), or lower a level (gf setrep)");
        } else {
            count(
                    HealthCode.FILES_UNDER_LEVEL,
                    under,
                    "with too few replicas; to copy: " + Output.bytes(status.getRepairBytesLeft()),
                    "wait for repair (gf status); gf replicas --under says what a file waits for");
        }
    }

    private void count(HealthCode code, long count, String what, String cure) {
        if (count > 0) {
            add(code, count, count + (count == 1 ? " file " : " files ") + what, cure);
        }
    }

    private void servers(ClusterStatusReply status) {
        long silent = status.getDatabaseSilentMillis();
        if (silent > SILENT_MILLIS_MAX) {
            add(
                    HealthCode.DATABASE_SILENT,
                    1,
                    "PostgreSQL has not answered the leading metaserver for "
                            + silent / 1000
                            + " s: changes of names wait, and are refused in the end",
                    "start it, or look at its log, its disk and the network; what is acknowledged"
                            + " is kept, and all goes on when it answers");
        }
        long behind = status.getJournalRowsBehind();
        if (behind > BEHIND_MAX) {
            add(
                    HealthCode.TABLES_BEHIND,
                    behind,
                    "the tables are " + behind + " batches behind the journal",
                    "look at the disk and the load of the PostgreSQL server");
        }
        if (status.getCoordinationLost()) {
            add(
                    HealthCode.COORDINATION_LOST,
                    1,
                    "ZooKeeper does not answer the leading metaserver, which goes on; should it end,"
                            + " nobody takes over",
                    "start ZooKeeper, or look at its log and the network");
        }
        for (ServerInfo server : status.getServersList()) {
            String name = "metaserver " + server.getName();
            if (!server.getProblem().isEmpty()) {
                add(
                        HealthCode.METASERVER_FULL,
                        1,
                        name + ": " + server.getProblem(),
                        "delete, set quotas (gf quota), or start it with a larger GF_HEAP");
            }
            if (server.getLag() > BEHIND_MAX) {
                add(
                        HealthCode.METASERVER_BEHIND,
                        server.getLag(),
                        name + " is " + server.getLag() + " batches behind the leader",
                        "look at the load of its host and at its log");
            }
        }
        if (status.getServersCount() < 2) {
            add(
                    HealthCode.METASERVER_ALONE,
                    1,
                    "one metaserver runs, nobody would take over",
                    "start another one, or: gf health --mute METASERVER_ALONE");
        }
    }

    private void delegations(ClusterStatusReply status) {
        int overdue = status.getDelegationsOverdue();
        if (overdue > 0) {
            add(
                    HealthCode.DELEGATIONS_STALLED,
                    overdue,
                    "directories of mounts, asked back and not given back: "
                            + overdue
                            + ", for up to "
                            + status.getDelegationsWaitMillis() / 1000
                            + " s",
                    "gf delegations, or the leader's log, names the mount: look at its host, its network and .gf/stats there;"
                            + " it is waited for until its lease ends");
        }
        long wrong = status.getCommandsDifferent() + status.getCommandsRefused();
        if (wrong > 0) {
            add(
                    HealthCode.DELEGATIONS_DIFFER,
                    wrong,
                    "commands of mounts since this leader began that came to something else: "
                            + status.getCommandsDifferent()
                            + ", that were refused: "
                            + status.getCommandsRefused(),
                    "the leader's log names session and command; gf support-bundle there and on the mount's host,"
                            + " and mount there with writebehind=off");
        }
    }

    private void node(NodeInfo node) {
        String name = node.getName();
        switch (node.getState()) {
            case "down" ->
                    add(
                            HealthCode.NODE_DOWN,
                            1,
                            "node "
                                    + name
                                    + " is down, silent for "
                                    + node.getLastSeenMillisAgo() / 1000
                                    + " s",
                            "on its host: systemctl start gridfarm-storagenode; if it is gone for ever: gf node remove "
                                    + name);
            case "suspect" ->
                    add(
                            HealthCode.NODE_SUSPECT,
                            1,
                            "node " + name + " is silent or being taken stock of",
                            "wait for a minute; then look at its host");
            default -> {}
        }
        if (node.getCapacity() > 0 && node.getAvailable() < node.getCapacity() * FREE_SHARE_MIN) {
            add(
                    HealthCode.NODE_FULL,
                    1,
                    "node " + name + " has " + Output.bytes(node.getAvailable()) + " left",
                    "delete (that always works), add nodes, or: gf balance");
        }
        if (node.getBadBlocks() > 0) {
            add(
                    HealthCode.NODE_BAD_BLOCKS,
                    node.getBadBlocks(),
                    "node "
                            + name
                            + " has found "
                            + node.getBadBlocks()
                            + " bad blocks since it started",
                    "look at its disks (smartctl, dmesg); gf scrub start "
                            + name
                            + " reads all of them");
        }
    }

    private void space(List<NodeInfo> nodes) {
        List<NodeInfo> up = nodes.stream().filter(FarmHealth::isUp).toList();
        if (up.isEmpty()) return;
        if (up.stream().allMatch(node -> node.getAvailable() == 0)) {
            add(
                    HealthCode.FARM_FULL,
                    up.size(),
                    "no node has room for new files",
                    "delete files, add nodes (gf node add), or lower a level (gf setrep)");
            return;
        }
        NodeInfo fullest = up.get(0);
        NodeInfo emptiest = up.get(0);
        for (NodeInfo node : up) {
            if (free(node) < free(fullest)) fullest = node;
            if (free(node) > free(emptiest)) emptiest = node;
        }
        if (free(emptiest) - free(fullest) > UNEVEN_MAX) {
            add(
                    HealthCode.NODES_UNEVEN,
                    1,
                    "%s has %.0f %% free, %s %.0f %%"
                            .formatted(
                                    fullest.getName(),
                                    100 * free(fullest),
                                    emptiest.getName(),
                                    100 * free(emptiest)),
                    "gf balance --dry-run, then gf balance --rate 50M");
        }
    }

    private void drain(String node, NodeControlReply reply) {
        if (reply.getBlockersCount() == 0) return;
        findings.add(
                new HealthFinding(
                        HealthCode.NODE_DRAIN_BLOCKED,
                        reply.getReplicasLeft(),
                        "node "
                                + node
                                + ": "
                                + reply.getReplicasLeft()
                                + " files cannot be moved: "
                                + reply.getBlockers(0),
                        "add a node or room, or: gf node undrain " + node,
                        reply.getBlockersList()));
    }

    private static double free(NodeInfo node) {
        return node.getCapacity() == 0 ? 0 : (double) node.getAvailable() / node.getCapacity();
    }

    private static boolean isUp(NodeInfo node) {
        return node.getState().equals("up");
    }

    private static boolean isSilent(NodeInfo node) {
        return node.getState().equals("down") || node.getState().equals("suspect");
    }

    private void add(HealthCode code, long count, String cause, String cure) {
        findings.add(HealthFinding.of(code, count, cause, cure));
    }
}
