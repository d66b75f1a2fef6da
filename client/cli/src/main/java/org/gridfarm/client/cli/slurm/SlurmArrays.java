package org.gridfarm.client.cli.slurm;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The arrays of one job in Slurm: what it is asked for, and where its tasks are to run. Nodes of
 * the farm are known there by a feature of that name. For one thread.
 */
final class SlurmArrays {
    private static final int MEBIBYTE = 1 << 20;
    private static final long MINUTE_MILLIS = 60_000;

    private final Slurm slurm;
    private final SubmitJobRequest job;
    private final String name;
    private final Spool spool;
    private final int each; // processors of a task
    private final boolean isWhole; // Slurm gives whole nodes to jobs
    private final int arraySizeMax;
    private final Map<String, NodeInfo> hosts = new TreeMap<>(); // by Slurm's names
    private final Set<String> named; // nodes of the farm that are features in Slurm
    private final Set<String> allowed; // of these, where tasks may run
    private final Map<String, Integer> slots = new HashMap<>(); // of these
    private int batches;

    /**
     * @param each processors that a task takes
     * @param name of all its jobs in Slurm, and of no others
     */
    SlurmArrays(
            Slurm slurm,
            SubmitJobRequest job,
            int each,
            String name,
            Spool spool,
            List<NodeInfo> farmNodes) {
        this.slurm = slurm;
        this.job = job;
        this.each = each;
        this.name = name;
        this.spool = spool;
        Map<String, String> configuration = slurm.configuration();
        this.isWhole = configuration.getOrDefault("SelectType", "").contains("linear");
        this.arraySizeMax = Integer.parseInt(configuration.getOrDefault("MaxArraySize", "0"));
        if (arraySizeMax < 1) {
            throw new FarmException(
                    ErrorKind.UNSUPPORTED, "run", "--via slurm", "this Slurm has no job arrays");
        }
        Map<String, NodeInfo> byName =
                farmNodes.stream().collect(Collectors.toMap(NodeInfo::getName, node -> node));
        this.named = new TreeSet<>();
        NodePattern on = NodePattern.of(job.getNodePattern());
        for (SlurmNode node : slurm.nodes()) {
            Optional.ofNullable(byName.get(node.farmNode(byName.keySet())))
                    .ifPresent(of -> {
                        hosts.put(node.name(), of);
                        if (node.features().contains(of.getName())) {
                            named.add(of.getName());
                            slots.merge(
                                    of.getName(),
                                    node.isUsable() ? node.slots(each, isWhole) : 0,
                                    Integer::sum);
                        }
                    });
        }
        this.allowed =
                named.stream()
                        .filter(of ->
                                on.test(byName.getOrDefault(of, NodeInfo.getDefaultInstance())))
                        .collect(Collectors.toCollection(TreeSet::new));
        if (allowed.isEmpty() && !on.isAny()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run",
                    "--on " + on.glob(),
                    "no node of Slurm has a feature of such a name");
        }
        slots.keySet().retainAll(allowed);
    }

    String name() {
        return name;
    }

    int arraySizeMax() {
        return arraySizeMax;
    }

    /** Of nodes that tasks can prefer. */
    Map<String, Integer> slots() {
        return Map.copyOf(slots);
    }

    /** The farm's name of one of Slurm's nodes, or the same if the farm has none there. */
    String farmNode(String of) {
        NodeInfo node = hosts.get(of);
        return node == null ? of : node.getName();
    }

    /** Tasks that prefer the same node; the number of their array. */
    String submit(List<ViaTask> chunk) throws IOException {
        String batch = "batch." + batches++;
        spool.writeBatch(
                batch,
                chunk.stream().map(task -> new Spool.Entry(task.index, task.begun + 1)).toList());
        String script = BatchScript.of(spool.directory(), batch, hosts, job.getTimeoutMillis());
        String array = slurm.submit(options(chunk.size(), chunk.getFirst().preferred), script);
        long now = System.currentTimeMillis();
        for (int i = 0; i < chunk.size(); i++) {
            ViaTask task = chunk.get(i);
            task.slurmId = array + "_" + i;
            task.phase = ViaTask.Phase.QUEUED;
            task.queued = task.queued == 0 ? now : task.queued;
        }
        return array;
    }

    private List<String> options(int size, String preferred) {
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "--job-name=" + name,
                                "--comment=gf run " + job.getName(),
                                "--array=0-" + (size - 1),
                                "--nodes=1",
                                "--ntasks=1",
                                "--cpus-per-task=" + each,
                                "--requeue",
                                "--export=ALL",
                                "--chdir=/",
                                "--input=/dev/null",
                                "--output=/dev/null",
                                "--error=/dev/null"));
        if (!preferred.isEmpty()) {
            options.add("--prefer=" + preferred);
        }
        if (!job.getNodePattern().isEmpty()) {
            options.add("--constraint=" + String.join("|", allowed));
        }
        if (job.getMemoryBytes() > 0) {
            options.add("--mem=" + (job.getMemoryBytes() + MEBIBYTE - 1) / MEBIBYTE + "M");
        }
        if (job.getGpus() > 0) {
            options.add("--gpus=" + job.getGpus());
        }
        if (job.getTimeoutMillis() > 0) { // the script itself ends the task, to the second
            options.add("--time=" + (job.getTimeoutMillis() / MINUTE_MILLIS + 2));
        }
        return options;
    }

    /**
     * Where nodes have nothing to do, tasks that would wait too long for others prefer those.
     *
     * @param millis how long a task takes; 0: not known yet
     */
    void spill(List<ViaTask> tasks, double millis) {
        long now = System.currentTimeMillis();
        Map<String, ViaTask> byId = new HashMap<>();
        List<Spill.Waiting> waiting = new ArrayList<>();
        Map<String, Integer> running = new HashMap<>();
        for (ViaTask task : tasks) {
            if (task.phase == ViaTask.Phase.QUEUED && !task.preferred.isEmpty()) {
                byId.put(task.slurmId, task);
                waiting.add(
                        new Spill.Waiting(
                                task.slurmId,
                                task.preferred,
                                task.input.bytes(),
                                now - task.queued));
            } else if (task.phase == ViaTask.Phase.RUNNING) {
                running.merge(task.preferred, 1, Integer::sum);
            }
        }
        Set<String> asked =
                waiting.stream().map(Spill.Waiting::preferred).collect(Collectors.toSet());
        if (waiting.isEmpty() || asked.containsAll(slots.keySet())) {
            return; // each node has something to do
        }
        Map<String, Integer> free = new HashMap<>();
        for (SlurmNode node : slurm.nodes()) {
            String of = farmNode(node.name());
            if (slots.containsKey(of)) {
                free.merge(of, node.free(each, isWhole), Integer::sum);
            }
        }
        Spill.moves(waiting, running, slots, free, millis)
                .forEach((node, ids) -> {
                    if (slurm.prefer(ids, node)) {
                        ids.forEach(id -> {
                            ViaTask task = byId.get(id);
                            if (task != null) {
                                task.preferred = node;
                            }
                        });
                    }
                });
    }
}
