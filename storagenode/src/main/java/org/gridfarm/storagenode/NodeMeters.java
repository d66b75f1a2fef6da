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
        count(registry, "gf.node.read.bytes", counters.readBytes);
        count(registry, "gf.node.written.bytes", counters.writtenBytes);
        count(registry, "gf.node.forwarded.bytes", counters.forwardedBytes);
        count(registry, "gf.node.copied.bytes", counters.copiedBytes);
        count(registry, "gf.node.scrubbed.bytes", counters.scrubbedBytes);
        count(registry, "gf.node.corrupt.replicas", counters.badBlocks);
        count(registry, "gf.node.member.failures", counters.memberFailures);
        count(registry, "gf.node.tickets.refused", counters.refusedTickets);
        count(registry, "gf.node.local.opens", counters.localOpens);
        Gauge.builder("gf.node.tasks.running", tasks, TaskService::runningCount).register(registry);
        for (DataDirectory disk : store.disks()) {
            Gauge.builder("gf.node.disk.capacity.bytes", disk, DataDirectory::capacity)
                    .tag("disk", disk.toString())
                    .register(registry);
            Gauge.builder("gf.node.disk.available.bytes", disk, DataDirectory::available)
                    .tag("disk", disk.toString())
                    .register(registry);
            Gauge.builder("gf.node.disk.failed", disk, failed -> failed.isFailed() ? 1 : 0)
                    .tag("disk", disk.toString())
                    .register(registry);
        }
    }

    private static void count(MeterRegistry registry, String name, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).register(registry);
    }
}
