package org.gridfarm.storagenode;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.tasks.TaskService;

import java.util.concurrent.atomic.LongAdder;

/** The node's own meters, {@code gf_node_*}. */
final class NodeMeters {
    private NodeMeters() {}

    static void register(
            MeterRegistry registry, ReplicaStore store, NodeCounters counters, TaskService tasks) {
        count(
                registry,
                "gf.node.read.bytes",
                "Bytes of replicas read for others",
                counters.readBytes);
        count(
                registry,
                "gf.node.written.bytes",
                "Bytes written to replicas",
                counters.writtenBytes);
        count(
                registry,
                "gf.node.forwarded.bytes",
                "Bytes passed on along write chains",
                counters.forwardedBytes);
        count(
                registry,
                "gf.node.copied.bytes",
                "Bytes of replicas copied from other nodes",
                counters.copiedBytes);
        count(
                registry,
                "gf.node.scrubbed.bytes",
                "Bytes read to verify replicas",
                counters.scrubbedBytes);
        count(
                registry,
                "gf.node.corrupt.replicas",
                "Blocks found that do not fit their checksum",
                counters.badBlocks);
        count(
                registry,
                "gf.node.member.failures",
                "Nodes behind this one in a chain that failed",
                counters.memberFailures);
        count(
                registry,
                "gf.node.tickets.refused",
                "Calls with a ticket that does not hold",
                counters.refusedTickets);
        countLocalOpens(registry, "read", counters.localReads);
        countLocalOpens(registry, "write", counters.localWrites);
        Gauge.builder("gf.node.tasks.running", tasks, TaskService::runningCount)
                .description("Tasks of jobs that run here")
                .register(registry);
        for (DataDirectory disk : store.disks()) {
            Gauge.builder("gf.node.disk.capacity.bytes", disk, DataDirectory::capacity)
                    .description("Size of the disk, whatever uses it")
                    .tag("disk", disk.toString())
                    .register(registry);
            Gauge.builder("gf.node.disk.available.bytes", disk, DataDirectory::available)
                    .description("What is left for new replicas, the reserve apart")
                    .tag("disk", disk.toString())
                    .register(registry);
            FunctionCounter.builder(
                            "gf.node.disk.sums.read.bytes", disk.readForSums(), LongAdder::sum)
                    .description("Bytes of replicas read to take or compare their sums")
                    .tag("disk", disk.toString())
                    .register(registry);
            Gauge.builder("gf.node.disk.failed", disk, failed -> failed.isFailed() ? 1 : 0)
                    .description("1 while the disk cannot be used")
                    .tag("disk", disk.toString())
                    .register(registry);
        }
    }

    private static void countLocalOpens(MeterRegistry registry, String access, LongAdder adder) {
        FunctionCounter.builder("gf.node.local.opens", adder, LongAdder::sum)
                .description("Replicas that this node was asked for as local files")
                .tag("access", access)
                .register(registry);
    }

    private static void count(MeterRegistry registry, String name, String help, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).description(help).register(registry);
    }
}
