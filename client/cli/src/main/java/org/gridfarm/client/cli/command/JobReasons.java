package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.NodeVerdict;
import org.gridfarm.protocol.wire.WhyJobReply;
import org.gridfarm.protocol.wire.WhyJobRequest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code gf job why}: what a task waits for, node by node, as the scheduler sees it. */
record JobReasons(SchedulerLine scheduler, boolean json) {
    /**
     * @param task its index, if one is asked about; else the next that waits
     */
    int show(long id, Optional<Integer> task) {
        WhyJobReply reply =
                scheduler.call(
                        SchedulerMethods.WHY,
                        WhyJobRequest.newBuilder()
                                .setJob(id)
                                .setTask(task.map(index -> index + 1).orElse(0))
                                .build());
        if (json) {
            Output.json(document(id, reply));
            return 0;
        }
        String argument = NameText.of(reply.getArgument().toByteArray());
        boolean hasNodes = reply.getNodesCount() > 0;
        System.out.println("job " + id + ": " + reply.getSummary());
        if (reply.getTask() > 0 && (hasNodes || task.isPresent())) {
            System.out.println(
                    (task.isPresent() ? "task " : "next task ")
                            + id
                            + "."
                            + reply.getTask()
                            + (argument.isEmpty() ? "" : " (" + Output.name(argument) + ")")
                            + (reply.getInputBytes() == 0
                                    ? ""
                                    : ", " + Output.bytes(reply.getInputBytes()) + " of input"));
        }
        if (!hasNodes) {
            return 0;
        }
        Output.Table table =
                Output.table("NODE", "STATE", "FREE", "HOLDS", "WAIT", "READ", "FOR", "AGAINST");
        for (NodeVerdict node : reply.getNodesList()) {
            table.row(
                    node.getNode(),
                    node.getState(),
                    node.getFreeSlots() + "/" + node.getSlots(),
                    Output.bytes(node.getBytesHeld()),
                    node.getWaitSeconds() < 0 ? "never" : seconds(node.getWaitSeconds()),
                    seconds(node.getReadSeconds()),
                    node.getInFavourCount() == 0 ? "-" : String.join("; ", node.getInFavourList()),
                    node.getAgainstCount() == 0 ? "-" : String.join("; ", node.getAgainstList()));
        }
        table.print();
        System.out.println(
                "WAIT: for a slot, where tasks of this job take %s; READ: of what is not there, over the network"
                        .formatted(seconds(reply.getTaskSeconds())));
        return 0;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1fs", seconds);
    }

    private static Map<String, Object> document(long id, WhyJobReply reply) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("job", id);
        document.put("summary", reply.getSummary());
        document.put("task", reply.getTask());
        document.put("argument", NameText.of(reply.getArgument().toByteArray()));
        document.put("input_bytes", reply.getInputBytes());
        document.put("task_seconds", reply.getTaskSeconds());
        List<Map<String, Object>> nodes =
                reply.getNodesList().stream().map(JobReasons::document).toList();
        document.put("nodes", nodes);
        return document;
    }

    private static Map<String, Object> document(NodeVerdict node) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("node", node.getNode());
        document.put("rack", node.getRack());
        document.put("state", node.getState());
        document.put("slots", node.getSlots());
        document.put("free_slots", node.getFreeSlots());
        document.put("bytes_held", node.getBytesHeld());
        document.put("can_run", node.getWaitSeconds() >= 0);
        document.put("wait_seconds", Math.max(0, node.getWaitSeconds()));
        document.put("read_seconds", node.getReadSeconds());
        document.put("in_favour", List.copyOf(node.getInFavourList()));
        document.put("against", List.copyOf(node.getAgainstList()));
        return document;
    }
}
