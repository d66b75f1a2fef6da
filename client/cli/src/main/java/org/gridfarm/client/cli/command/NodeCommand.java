package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.setup.Setup;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeControlRequest;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "node",
        header = "Empties a storage node, sets it aside or takes it back.",
        description = {
            "",
            "ACTION is one of",
            "  drain      takes nothing new; what it has is copied to other nodes and then dropped",
            "  readonly   takes no new files and no copies; keeps and serves what it has",
            "  readwrite  takes new files and copies again (undrain is the same)",
            "  remove     for good: its copies count for nothing, and it may not register. Refused while it has the last good copy of a file",
            "  status     how it stands",
            "  add        makes the file with which the host NODE joins (gf setup --join); as root on the authority's host",
            "What was decided outlives restarts of the node and of every server.",
            "",
            "Exit status 1: refused, or --wait ended because the rest cannot be moved; what is in the way is shown."
        },
        mixinStandardHelpOptions = true)
public final class NodeCommand implements Callable<Integer> {
    /** Of a drain with something in its way: without any progress for so long it is given up. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "--dry-run", description = "show what it would take, and do nothing")
    private boolean dryRun;

    @Option(names = "--wait", description = "drain, remove: until nothing of it is needed any more")
    private boolean waits;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "add: of its storage node (the host's short name)")
    private @Nullable String name;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "add: the file (gridfarm-NAME.join)")
    private @Nullable Path out;

    @Parameters(index = "0", paramLabel = "ACTION")
    private String action = "";

    @Parameters(index = "1", paramLabel = "NODE")
    private String node = "";

    @Override
    public Integer call() {
        if (waits && !action.equals("drain") && !action.equals("remove")) {
            throw new FarmException(
                    ErrorKind.USAGE, "node " + action, node, "--wait is for drain and remove");
        }
        if (action.equals("add")) return Setup.add(node, name, out);
        if (name != null || out != null) {
            throw new FarmException(
                    ErrorKind.USAGE, "node " + action, node, "--name and --out are for add");
        }
        try (Gridfarm farm = options.connect()) {
            NodeControlReply reply = ask(farm, action, dryRun);
            if (waits && !dryRun && !reply.getRefused()) {
                reply = await(farm, reply);
            }
            show(reply);
            boolean failed =
                    reply.getRefused() || (waits && !dryRun && reply.getReplicasLeft() > 0);
            return failed ? 1 : 0;
        }
    }

    private NodeControlReply ask(Gridfarm farm, String what, boolean only) {
        try {
            return farm.callLeader(
                    MetadataMethods.NODE_CONTROL,
                    NodeControlRequest.newBuilder()
                            .setNode(node)
                            .setAction(what)
                            .setDryRun(only)
                            .build());
        } catch (FarmException e) {
            throw new FarmException(e.kind(), "node " + what, node, e.detail(), e);
        }
    }

    private NodeControlReply await(Gridfarm farm, NodeControlReply first) {
        NodeControlReply reply = first;
        String before = first.getWants();
        long left = Long.MAX_VALUE;
        long movedAt = System.nanoTime();
        while (reply.getReplicasLeft() > 0) {
            if (reply.getReplicasLeft() < left) {
                left = reply.getReplicasLeft();
                movedAt = System.nanoTime();
                Administration.progress(line(reply));
            } else if (reply.getBlockersCount() > 0
                    && System.nanoTime() - movedAt > STUCK_AFTER.toNanos()) {
                return reply;
            }
            Administration.pause();
            reply = ask(farm, "status", false);
            requireWanted(reply, before);
        }
        return reply;
    }

    /** Somebody else may have decided otherwise meanwhile. */
    private void requireWanted(NodeControlReply reply, String before) {
        String wanted = action.equals("drain") ? "draining" : "removed";
        if (!reply.getWants().equals(wanted)) {
            throw new FarmException(
                    ErrorKind.INTERRUPTED,
                    "node " + action,
                    node,
                    "it was set to '"
                            + reply.getWants()
                            + "' by somebody else (it was '"
                            + before
                            + "')");
        }
    }

    private String line(NodeControlReply reply) {
        return node
                + " is "
                + reply.getState()
                + ": "
                + reply.getReplicasLeft()
                + (reply.getReplicasLeft() == 1 ? " file, " : " files, ")
                + Output.bytes(reply.getBytesLeft())
                + (reply.getReplicasLeft() == 0 ? "" : Administration.about(reply.getEtaSeconds()));
    }

    /** A node that does not answer cannot be drained. */
    private static String cure(NodeControlReply reply) {
        return switch (reply.getState()) {
            case "down", "suspect" ->
                    "it does not answer: start it again, then drain it; if it is gone for ever, delete these files (gf rm), then remove it";
            default -> "drain the node first";
        };
    }

    private void show(NodeControlReply reply) {
        if (options.json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("node", node);
            document.put("action", action);
            document.put("dry_run", dryRun);
            document.put("state", reply.getState());
            document.put("refused", reply.getRefused());
            document.put("files_left", reply.getReplicasLeft());
            document.put("bytes_left", reply.getBytesLeft());
            document.put("eta_seconds", reply.getEtaSeconds());
            document.put("blockers", List.copyOf(reply.getBlockersList()));
            Output.json(document);
            return;
        }
        System.out.println(line(reply));
        if (reply.getRefused()) {
            System.err.println(
                    "gf: refused: these have their last good copy there; " + cure(reply));
        }
        reply.getBlockersList().forEach(blocker -> System.out.println("  " + blocker));
    }

    /** What is down or silent can give nothing to others. */
}
