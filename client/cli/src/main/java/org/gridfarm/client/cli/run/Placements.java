package org.gridfarm.client.cli.run;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Where tasks would run, and why: by the bytes of their input that nodes hold. */
public final class Placements {
    private final Gridfarm farm;
    private final Map<String, NodeInfo> usable;

    public Placements(Gridfarm farm) {
        this.farm = farm;
        this.usable =
                farm.nodes().stream()
                        .filter(node -> node.getSlots() > 0)
                        .filter(node ->
                                node.getState().equals("up") || node.getState().equals("readonly"))
                        .collect(Collectors.toMap(NodeInfo::getName, node -> node));
    }

    /** A node with what it holds of some files, in bytes. */
    public record Held(NodeInfo node, long bytes) {}

    /** Nodes that run tasks, those that hold most first, then the less loaded. */
    public List<Held> of(List<FarmPath> inputs) {
        Map<String, Long> bytes = located(inputs).held();
        return usable.values().stream()
                .map(node -> new Held(node, bytes.getOrDefault(node.getName(), 0L)))
                .sorted(
                        Comparator.<Held>comparingLong(held -> -held.bytes())
                                .thenComparingDouble(held -> held.node().getLoad())
                                .thenComparing(held -> held.node().getName()))
                .toList();
    }

    /**
     * Some files together.
     *
     * @param held bytes of them by node
     */
    public record Located(long bytes, Map<String, Long> held) {}

    public Located located(List<FarmPath> inputs) {
        Map<String, Long> held = new HashMap<>();
        long bytes = 0;
        for (FarmPath input : inputs) {
            bytes += add(input, held);
        }
        return new Located(bytes, held);
    }

    private long add(FarmPath input, Map<String, Long> bytes) {
        FileInfo file = farm.stat(input);
        if (file.isDirectory()) {
            return 0;
        }
        List<ObjectLocation> objects = farm.where(input).getObjectsList();
        for (ObjectLocation object : objects) {
            for (Replica replica : object.getReplicasList()) {
                if (replica.getLive() && replica.getState() == ReplicaState.VALID) {
                    bytes.merge(replica.getNode(), file.size() / objects.size(), Long::sum);
                }
            }
        }
        return file.size();
    }

    /** In words. */
    public String shown(List<FarmPath> inputs) {
        if (inputs.isEmpty()) {
            return "any node: it has no input";
        }
        try {
            long all = inputs.stream().mapToLong(input -> farm.stat(input).size()).sum();
            List<Held> holders = of(inputs).stream().filter(held -> held.bytes() > 0).toList();
            if (holders.isEmpty()) {
                return "any node: no node that runs tasks holds its input";
            }
            return holders.stream()
                    .map(held ->
                            held.node().getName()
                                    + (held.bytes() >= all
                                            ? " holds all of " + Output.bytes(all)
                                            : " holds "
                                                    + Output.bytes(held.bytes())
                                                    + " of "
                                                    + Output.bytes(all)))
                    .collect(Collectors.joining(", "));
        } catch (FarmException e) {
            return "any node: " + e.getMessage();
        }
    }
}
