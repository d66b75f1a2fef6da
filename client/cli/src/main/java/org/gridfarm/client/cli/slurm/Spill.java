package org.gridfarm.client.cli.slurm;

import org.gridfarm.protocol.job.Network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which tasks are no longer to wait for the node that holds their input: where other nodes have
 * nothing to do, those at the end of a queue that takes longer than reading their input over the
 * network. So many short tasks with input on one node use all nodes, and few tasks with large input
 * wait. Pure.
 */
final class Spill {
    private static final double MILLIS = 1e3;

    private Spill() {}

    /**
     * A task that waits.
     *
     * @param bytes of its input
     * @param waited milliseconds since it was submitted
     */
    record Waiting(String id, String preferred, long bytes, long waited) {}

    /**
     * @param waiting in the order in which they start
     * @param running tasks by the node that they prefer
     * @param slots of nodes
     * @param free tasks that could start now, by node
     * @param millis how long a task takes; 0: not known yet
     * @return which tasks prefer which node from now on
     */
    static Map<String, List<String>> moves(
            List<Waiting> waiting,
            Map<String, Integer> running,
            Map<String, Integer> slots,
            Map<String, Integer> free,
            double millis) {
        Map<String, List<Waiting>> queues = new HashMap<>();
        for (Waiting task : waiting) {
            queues.computeIfAbsent(task.preferred(), _ -> new ArrayList<>()).add(task);
        }
        Map<String, List<String>> moves = new LinkedHashMap<>();
        for (String idle : free.keySet().stream().sorted().toList()) {
            int room = queues.containsKey(idle) ? 0 : free.getOrDefault(idle, 0);
            while (room > 0) {
                List<Waiting> longest =
                        queues.values().stream()
                                .filter(queue -> isWorth(queue, running, slots, millis))
                                .max(
                                        Comparator.comparingDouble(
                                                queue -> expected(queue, running, slots, millis)))
                                .orElse(List.of());
                if (longest.isEmpty()) {
                    break;
                }
                moves.computeIfAbsent(idle, _ -> new ArrayList<>()).add(longest.removeLast().id());
                room--;
            }
        }
        return moves;
    }

    private static boolean isWorth(
            List<Waiting> queue,
            Map<String, Integer> running,
            Map<String, Integer> slots,
            double millis) {
        return !queue.isEmpty()
                && !queue.getLast().preferred().isEmpty()
                && expected(queue, running, slots, millis)
                        > queue.getLast().bytes() / Network.BYTES_PER_SECOND * MILLIS;
    }

    /**
     * Of the last one. While no task of ours has ended, or others' tasks have the node, it is not
     * known, and it has waited as long already.
     */
    private static double expected(
            List<Waiting> queue,
            Map<String, Integer> running,
            Map<String, Integer> slots,
            double millis) {
        if (queue.isEmpty()) {
            return 0;
        }
        String node = queue.getLast().preferred();
        int own = running.getOrDefault(node, 0);
        return millis > 0 && own > 0
                ? queue.size() * millis / Math.max(1, slots.getOrDefault(node, 1))
                : queue.getLast().waited();
    }
}
