package org.gridfarm.metaserver.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Problem;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

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
        Gauge.builder("gf.meta.database.silent", server, MetaServer::databaseSilentSeconds)
                .baseUnit("seconds")
                .description("Since PostgreSQL last answered the leader, who asks it all the time")
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
        for (Problem problem : Problem.values()) {
            figure(server, "gf.farm.files", f -> f.files(problem))
                    .tag("problem", word(problem))
                    .description("Files with a problem of their replicas (at the leader)")
                    .register(registry);
        }
        for (NodeState state : NodeState.values()) {
            figure(server, "gf.farm.nodes", f -> f.nodes(state))
                    .tag("state", state.text())
                    .description("Storage nodes in each state (at the leader)")
                    .register(registry);
        }
        figure(server, "gf.farm.inodes", FarmFigures::inodes)
                .description("Files, directories and links of the farm (at the leader)")
                .register(registry);
        figure(server, "gf.farm.leases", FarmFigures::leases)
                .description("Leases that clients of the leader hold")
                .register(registry);
        figure(server, "gf.repair.copies.running", FarmFigures::copiesRunning)
                .description("Replicas that are being copied now (at the leader)")
                .register(registry);
        figure(server, "gf.repair.files.unsettled", FarmFigures::unsettled)
                .description("Files whose replicas are still being compared (at the leader)")
                .register(registry);
        delegations(registry, server);
    }

    private static void delegations(MeterRegistry registry, MetaServer server) {
        figure(server, "gf.delegations", f -> f.delegations().directories())
                .description("Directories that mounts decide about by themselves (at the leader)")
                .register(registry);
        figure(server, "gf.delegations.overdue", f -> f.delegations().overdue())
                .description("Of these, asked back more than 2 s ago and not given back")
                .register(registry);
        count(server, "gf.delegations.recalled", f -> f.delegations().recalled())
                .description("Directories that were asked back, since this server leads")
                .register(registry);
        count(server, "gf.delegations.evicted", f -> f.delegations().evicted())
                .description(
                        "Directories whose mount's lease ran out; what it had not told is lost")
                .register(registry);
        count(server, "gf.delegations.shipments", f -> f.delegations().shipments())
                .description("Shipments of commands that mounts had decided")
                .register(registry);
        command(registry, server, "same", f -> f.delegations().same());
        command(registry, server, "different", f -> f.delegations().different());
        command(registry, server, "refused", f -> f.delegations().refused());
    }

    private static void command(
            MeterRegistry registry,
            MetaServer server,
            String result,
            ToDoubleFunction<FarmFigures> figure) {
        count(server, "gf.delegations.commands", figure)
                .tag("result", result)
                .description("Shipped commands by what the leader came to; all but same are faults")
                .register(registry);
    }

    private static FunctionCounter.Builder<MetaServer> count(
            MetaServer server, String name, ToDoubleFunction<FarmFigures> figure) {
        return FunctionCounter.builder(name, server, s -> figure.applyAsDouble(s.figures()));
    }

    private static Gauge.Builder<MetaServer> figure(
            MetaServer server, String name, ToDoubleFunction<FarmFigures> figure) {
        return Gauge.builder(name, server, s -> figure.applyAsDouble(s.figures()));
    }

    private static String word(Problem problem) {
        return problem.name().toLowerCase(Locale.ROOT);
    }
}
