package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory, disk and GPUs of the nodes: what there is, as nodes say themselves, and what tasks that
 * run have been given of it. Owned by the event thread.
 */
final class Resources {
    private record Offer(long memory, int gpus) {}

    private static final class Given {
        long memory;
        long disk;
        final BitSet gpus = new BitSet();
    }

    private final Map<String, Offer> offers = new HashMap<>();
    private final Map<String, Given> given = new HashMap<>();

    void learn(String node, ListTasksReply says) {
        offers.put(node, new Offer(says.getMemoryBytes(), says.getGpus()));
    }

    /**
     * The numbers of the GPUs.
     *
     * @param before that it had when the scheduler was another process
     */
    List<Integer> take(String node, Needs needs, List<Integer> before) {
        Given of = given.computeIfAbsent(node, _ -> new Given());
        of.memory += needs.memory();
        of.disk += needs.disk();
        List<Integer> numbers = new ArrayList<>(before);
        for (int at = of.gpus.nextClearBit(0); numbers.size() < needs.gpus(); at++) {
            if (!of.gpus.get(at) && !numbers.contains(at)) {
                numbers.add(at);
            }
        }
        numbers.forEach(of.gpus::set);
        return numbers;
    }

    void giveBack(String node, Needs needs, List<Integer> gpus) {
        Given of = given.get(node);
        if (of != null) {
            of.memory -= needs.memory();
            of.disk -= needs.disk();
            gpus.forEach(of.gpus::clear);
        }
    }

    boolean hasRoom(NodeInfo node, Needs needs) {
        return needs.equals(Needs.NOTHING) || lacks(node, needs).isEmpty();
    }

    /** What stands against a task on this node now. */
    List<String> lacks(NodeInfo node, Needs needs) {
        List<String> lacks = new ArrayList<>();
        Offer offer = offers.get(node.getName());
        Given of = given.getOrDefault(node.getName(), new Given());
        if (offer == null && needs.asksNode()) {
            lacks.add("has not said yet how much memory and how many GPUs it has");
        } else if (offer != null) {
            if (needs.memory() > offer.memory() - of.memory) {
                lacks.add(
                        "%s of its %s of memory are taken, a task needs %s"
                                .formatted(
                                        Needs.size(of.memory),
                                        Needs.size(offer.memory()),
                                        Needs.size(needs.memory())));
            }
            if (needs.gpus() > offer.gpus() - of.gpus.cardinality()) {
                lacks.add(
                        "%d of its %d GPUs are taken, a task needs %d"
                                .formatted(of.gpus.cardinality(), offer.gpus(), needs.gpus()));
            }
        }
        if (needs.disk() > 0 && needs.disk() > node.getAvailable() - of.disk) {
            lacks.add(
                    "%s are free on its disks, %s of them promised; a task needs %s"
                            .formatted(
                                    Needs.size(node.getAvailable()),
                                    Needs.size(of.disk),
                                    Needs.size(needs.disk())));
        }
        return lacks;
    }

    /** Why a task can never run on this node, though nothing else ran there; null if it can. */
    @Nullable String neverRuns(NodeInfo node, Needs needs, int slots) {
        Offer offer = offers.get(node.getName());
        if (node.getSlots() == 0) {
            return "runs no tasks";
        }
        if (slots > node.getSlots()) {
            return "has %d slots".formatted(node.getSlots());
        }
        if (offer != null && needs.memory() > offer.memory()) {
            return "has %s of memory for tasks".formatted(Needs.size(offer.memory()));
        }
        if (offer != null && needs.gpus() > offer.gpus()) {
            return "has %d GPUs".formatted(offer.gpus());
        }
        if (needs.disk() > node.getCapacity()) {
            return "has disks of %s".formatted(Needs.size(node.getCapacity()));
        }
        return null;
    }
}
