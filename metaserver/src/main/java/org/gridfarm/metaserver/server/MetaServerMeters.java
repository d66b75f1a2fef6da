package org.gridfarm.metaserver.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** What a metaserver shows of itself: {@code gf_meta_*}. */
final class MetaServerMeters {
    private MetaServerMeters() {}

    static void register(MeterRegistry registry, MetaServer server) {
        Gauge.builder("gf.meta.leading", server, s -> s.role().equals("leader") ? 1 : 0)
                .description("1 at the leader")
                .register(registry);
        Gauge.builder("gf.meta.event.backlog", server, MetaServer::backlog)
                .description("Calls that wait for the event thread")
                .register(registry);
        Gauge.builder("gf.meta.changes.behind", server, MetaServer::changesBehind)
                .description("Acknowledged changes that are not in the tables yet")
                .register(registry);
        Gauge.builder("gf.meta.sequence", server, MetaServer::sequence)
                .description("Last complete batch")
                .register(registry);
        Gauge.builder("gf.meta.heap.full", server, s -> s.isFull() ? 1 : 0)
                .description("1 while nothing new is taken for want of memory")
                .register(registry);
        Gauge.builder("gf.meta.sessions", server, MetaServer::sessions)
                .description("Client sessions")
                .register(registry);
    }
}
