package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Problem;
import org.gridfarm.metaserver.replica.ReplicaMap;
import org.gridfarm.metaserver.replica.ReplicaMatrix;
import org.gridfarm.metaserver.replica.Standing;
import org.gridfarm.metaserver.replica.Whereabouts;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Json;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ListReplicasReply;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaProblem;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ReplicateReply;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.SpreadRequest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What people ask about copies, answered from the index without walking the tree; and copies made
 * and dropped by hand. Event thread.
 */
public final class ReplicaService {
    /** Who still wants a copy asks again. */
    private static final long KEPT_MILLIS_MAX = 600_000;

    private static final int PROBLEMS_MAX = 1000;
    private static final String LEVEL = "level:";
    private static final Pattern CELL = Pattern.compile("level:([0-9]{1,2})/([0-9]{1,2})");

    private final FarmState state;
    private final Repair repair;
    private final Reach reach;
    private final LeaderContext leader;
    private final FileStanding standings;

    public ReplicaService(
            FarmState state,
            Repair repair,
            MissingCopies missing,
            Reach reach,
            LeaderContext leader) {
        this.reach = reach;
        this.standings = new FileStanding(state, leader, missing);
        this.state = state;
        this.repair = repair;
        this.leader = leader;
    }

    public ReplicaService register(HandlerTable table) {
        table.on(MetadataMethods.LIST_REPLICAS, this::listReplicas);
        table.on(MetadataMethods.REPLICATE, this::replicate);
        table.on(MetadataMethods.SPREAD, this::spread);
        return this;
    }

    private void listReplicas(Exchange<ListReplicasRequest, ListReplicasReply> exchange) {
        ListReplicasRequest request = exchange.request();
        if (request.getInode() != 0) {
            Caller caller = Callers.of(exchange);
            reach.require(caller, caller.own(), request.getInode(), "replicas");
            standing(exchange, request.getInode());
            return;
        }
        Callers.requireAdministrator(exchange);
        if (request.getKind().startsWith(LEVEL)) {
            listLevel(exchange);
            return;
        }
        Problem kind = kind(request.getKind());
        int limit = limit(request);
        repair.tick(state.monotonicNanos()); // what is told takes in what has just happened
        ReplicaMap map = state.replicas();
        ListReplicasReply.Builder reply = ListReplicasReply.newBuilder().setTotal(map.count(kind));
        long[] found = map.list(kind, request.getAfter(), limit);
        for (long inode : found) {
            Standing standing = map.standing(inode);
            // The index may be behind by a moment; the rows decide.
            if (standing != null && standing.has(kind)) {
                reply.addProblems(problem(kind, state.image(inode), standing));
            }
        }
        if (found.length > 0) reply.setLast(found[found.length - 1]);
        exchange.reply(reply.setEnd(found.length < limit).build());
    }

    /** {@code level:WANTED/LIVE}: files that want so many copies and have so many to read. */
    private void listLevel(Exchange<ListReplicasRequest, ListReplicasReply> exchange) {
        ListReplicasRequest request = exchange.request();
        Matcher cell = CELL.matcher(request.getKind());
        if (!cell.matches()) {
            throw new FarmException(
                    ErrorKind.INVALID, "replicas", request.getKind(), "needs level:WANTED/LIVE");
        }
        int wanted = Integer.parseInt(cell.group(1));
        int live = Integer.parseInt(cell.group(2));
        repair.tick(state.monotonicNanos());
        ReplicaMatrix matrix = state.replicas().matrix();
        long[] found = matrix.list(wanted, live, request.getAfter(), limit(request));
        ListReplicasReply.Builder reply =
                ListReplicasReply.newBuilder().setTotal(matrix.count(wanted, live));
        for (long inode : found) {
            Standing standing = state.replicas().standing(inode);
            if (standing == null) continue;
            Problem kind = standing.has(Problem.OVER) ? Problem.OVER : Problem.UNDER;
            reply.addProblems(problem(kind, state.image(inode), standing));
        }
        if (found.length > 0) reply.setLast(found[found.length - 1]);
        exchange.reply(reply.setEnd(found.length < limit(request)).build());
    }

    /** How many files want so many copies and have so many. */
    public void matrix(Exchange<AdminRequest, AdminReply> exchange) {
        repair.tick(state.monotonicNanos());
        List<Map<String, Object>> cells = new ArrayList<>();
        for (ReplicaMatrix.Cell cell : state.replicas().matrix().cells()) {
            cells.add(Map.of("wanted", cell.wanted(), "live", cell.live(), "files", cell.files()));
        }
        exchange.reply(
                AdminReply.newBuilder()
                        .setJson(
                                Json.of(
                                        Map.of(
                                                "cells",
                                                cells,
                                                "unsettled",
                                                state.replicas().unsettled())))
                        .build());
    }

    private static int limit(ListReplicasRequest request) {
        return request.getLimit() <= 0 ? PROBLEMS_MAX : Math.min(request.getLimit(), PROBLEMS_MAX);
    }

    /** Of one file, from the nodes where its rows say that it cannot be read. */
    private void standing(Exchange<ListReplicasRequest, ListReplicasReply> exchange, long inode) {
        repair.tick(state.monotonicNanos());
        standings.ask(
                state.image(inode),
                standing ->
                        leader.afterAllSoFar(() ->
                                exchange.reply(
                                        ListReplicasReply.newBuilder()
                                                .addProblems(standing)
                                                .setTotal(1)
                                                .setEnd(true)
                                                .build())));
    }

    private static Problem kind(String text) {
        for (Problem problem : Problem.values()) {
            if (problem.text().equals(text)) return problem;
        }
        throw new FarmException(
                ErrorKind.INVALID,
                "replicas",
                text,
                "known are "
                        + Arrays.stream(Problem.values())
                                .map(Problem::text)
                                .collect(Collectors.joining(", ")));
    }

    private ReplicaProblem problem(Problem kind, InodeImage image, Standing standing) {
        ReplicaProblem.Builder problem =
                ReplicaProblem.newBuilder()
                        .setInode(image.getInode())
                        .setPath(ByteString.copyFrom(NameText.bytes(state.path(image.getInode()))))
                        .setWanted(state.level(image))
                        .setLive(standing.live() == Integer.MAX_VALUE ? 0 : standing.live())
                        .setSize(image.getSize())
                        .setReason(reason(kind, image));
        for (ReplicaImage row : state.allRows(image.getInode())) {
            if (row.getGeneration() != image.getGeneration()) continue;
            problem.addReplicas(
                    Replica.newBuilder()
                            .setNode(row.getNode())
                            .setState(row.getState())
                            .setLive(state.isReadable(row.getNode())));
        }
        return problem.build();
    }

    /** Where the copies are that do not help, for people. */
    private String reason(Problem kind, InodeImage image) {
        if (kind == Problem.OVER) return "more copies than wanted";
        if (kind == Problem.MISPLACED) return "wanted in " + image.getGroups();
        List<String> said = new ArrayList<>();
        for (ReplicaImage row : state.allRows(image.getInode())) {
            if (row.getGeneration() != image.getGeneration()) continue;
            NodeState node = state.replicas().nodeState(row.getNode());
            boolean counts = node == NodeState.UP || node == NodeState.READONLY;
            if (row.getState() != ReplicaState.VALID || !counts) {
                said.add(Whereabouts.said(row, node));
            }
        }
        return String.join(", ", said);
    }

    private void replicate(Exchange<ReplicateRequest, ReplicateReply> exchange) {
        Caller caller = Callers.of(exchange);
        ReplicateRequest request = exchange.request();
        InodeImage image = state.image(request.getInode());
        boolean changes = !request.getDropNode().isEmpty() || !request.getToNode().isEmpty();
        var who = caller.actingAs(request.hasCredentials(), request.getCredentials());
        reach.require(caller, who, image.getInode(), "replicate");
        if (changes) {
            state.requireAccess(who, image.getInode(), 2, "replicate");
        }
        if (!request.getDropNode().isEmpty()) drop(image, request.getDropNode());
        if (!request.getToNode().isEmpty()) {
            copyTo(exchange, image, request.getToNode());
            return;
        }
        repair.planner().hurry(image.getInode());
        if (request.getWaitLevel()) {
            repair.waits()
                    .forLevel(
                            image.getInode(),
                            waiter(exchange, image.getInode()),
                            exchange::isCancelled);
        } else {
            replicated(exchange, image.getInode());
        }
    }

    /** Whoever may read the file may have it nearer for a while. */
    private void spread(Exchange<SpreadRequest, ReplicateReply> exchange) {
        Caller caller = Callers.of(exchange);
        SpreadRequest request = exchange.request();
        InodeImage image = state.image(request.getInode());
        var who = caller.actingAs(request.hasCredentials(), request.getCredentials());
        reach.require(caller, who, image.getInode(), "spread");
        state.requireAccess(who, image.getInode(), 4, "spread");
        if (request.getKeepMillis() == 0) {
            repair.planner().letGo(image.getInode(), request.getNode());
            replicated(exchange, image.getInode());
            return;
        }
        long millis = Math.clamp(request.getKeepMillis(), 1, KEPT_MILLIS_MAX);
        repair.planner()
                .keep(
                        image.getInode(),
                        request.getNode(),
                        state.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(millis));
        copyTo(exchange, image, request.getNode());
    }

    private void copyTo(Exchange<?, ReplicateReply> exchange, InodeImage image, String node) {
        long inode = image.getInode();
        NodeState to = state.nodes().state(node, state.monotonicNanos());
        if (state.nodes().image(node) == null) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "replicate to",
                    node,
                    "there is no node " + node + "; see 'gf nodes'");
        }
        if (!to.takesNew()) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE, "replicate to", node, node + " is " + to.text());
        }
        if (state.writing(inode) != null) {
            throw new FarmException(
                    ErrorKind.BUSY, "replicate", state.path(inode), "it is open for writing");
        }
        repair.waits().forCopy(inode, node, waiter(exchange, inode), exchange::isCancelled);
        repair.copyWanted();
    }

    private CopyWaits.Waiter waiter(Exchange<?, ReplicateReply> exchange, long inode) {
        return new CopyWaits.Waiter() {
            @Override
            public void done() {
                replicated(exchange, inode);
            }

            @Override
            public void failed(FarmException why) {
                exchange.fail(why);
            }
        };
    }

    private void drop(InodeImage image, String node) {
        List<Change> changes = new ArrayList<>();
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            for (ReplicaImage row : state.rows(image.getInode(), stripe, image.getGeneration())) {
                if (!row.getNode().equals(node)) continue;
                if (row.getState() == ReplicaState.VALID && state.goodCopiesElsewhere(row) == 0) {
                    throw new FarmException(
                            ErrorKind.INVALID, "drop replica", node, "it is the last good copy");
                }
                changes.add(FileChanges.gone(row));
            }
        }
        leader.change(changes, 0);
    }

    private void replicated(Exchange<?, ReplicateReply> exchange, long inode) {
        leader.afterAllSoFar(() -> {
            if (!state.exists(inode)) {
                exchange.fail(
                        new FarmException(
                                ErrorKind.NOT_FOUND, "replicate", Long.toHexString(inode)));
                return;
            }
            InodeImage image = state.image(inode);
            exchange.reply(
                    ReplicateReply.newBuilder()
                            .setLive(state.liveCopies(image))
                            .setWanted(state.level(image))
                            .build());
        });
    }
}
