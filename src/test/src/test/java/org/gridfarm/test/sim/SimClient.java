package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.Touch;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A client with a leased cache; one call at a time. */
final class SimClient {
    private static final long RENEW_EVERY = 1_000_000_000L;
    private static final long RETRY = 20_000_000L;
    private static final int THINK_MILLIS_MAX = 40;

    final Node node;
    private final World world;
    private final Random random;
    private final long session;
    private final Map<Cell, Long> cache = new HashMap<>();
    private Attached reader;
    private Attached leader;
    private long recalls;
    private long requests;
    private long attempt;

    private static final class Attached {
        final SimServer server;
        final Line line;
        long leaseUntil = Long.MIN_VALUE / 2;

        Attached(SimServer server, Line line) {
            this.server = server;
            this.line = line;
        }
    }

    SimClient(long session, World world) {
        this.session = session;
        this.world = world;
        this.random = world.random;
        this.node = new Node("client" + session, world.clock);
        think();
        node.after(RENEW_EVERY, this::renewals);
    }

    private void think() {
        node.after(1_000_000L * (1 + random.nextInt(THINK_MILLIS_MAX)), this::act);
    }

    private void act() {
        if (world.over()) return;
        Cell cell = world.someCell();
        if (random.nextInt(3) == 0) write(++requests, cell, ++attempt);
        else read(cell, world.ledger.floor(cell), ++attempt);
    }

    // ---- lines

    private @Nullable Attached attached(boolean toLead) {
        Attached now = toLead ? leader : reader;
        if (now != null && now.line.open()) return now;
        SimServer server = toLead ? world.leader() : world.someReader(random);
        if (server == null) return null;
        Attached[] made = new Attached[1];
        Line line = world.line(node, () -> lost(made[0]), server.node, () -> {});
        made[0] = new Attached(server, line);
        if (toLead) leader = made[0];
        else {
            reader = made[0];
            dropAll();
        }
        renew(made[0]);
        return made[0];
    }

    private void lost(Attached was) {
        if (was == reader) {
            reader = null;
            dropAll();
        }
        if (was == leader) leader = null;
    }

    private void leave(Attached at) {
        at.line.cut();
        lost(at);
    }

    private void dropAll() {
        recalls++;
        cache.clear();
    }

    private void renewals() {
        if (reader != null) renew(reader);
        if (leader != null) renew(leader);
        node.after(RENEW_EVERY, this::renewals);
    }

    private void renew(Attached at) {
        long sent = world.now();
        at.line.send(
                node,
                () -> {
                    at.server.look();
                    at.server
                            .role()
                            .renew(
                                    session,
                                    at.line,
                                    this,
                                    left ->
                                            at.line.send(
                                                    at.server.node, () -> renewed(at, sent, left)));
                });
    }

    private void renewed(Attached at, long sent, long left) {
        if (at != reader && at != leader) return;
        if (at == reader && world.now() - at.leaseUntil >= 0) dropAll();
        if (left == 0) leave(at);
        else at.leaseUntil = sent + left - left / 5;
    }

    private boolean believes(Attached at) {
        return at != null
                && (world.plant == Plant.LEASE_NOT_WATCHED || world.now() - at.leaseUntil < 0);
    }

    /** It runs again, and looks into its cache before it hears what the network has brought. */
    void wake() {
        if (!node.running() && believes(reader)) {
            cache.forEach((cell, value) ->
                    world.ledger.read(
                            node.name + " waking", cell, value, world.ledger.floor(cell)));
        }
        node.go();
    }

    // ---- calls

    private void read(Cell cell, long floor, long number) {
        Attached at = attached(false);
        if (at != null && believes(at) && cache.containsKey(cell)) {
            world.ledger.read(node.name + " from its cache", cell, cache.get(cell), floor);
            think();
            return;
        }
        if (at == null) {
            node.after(RETRY, () -> read(cell, floor, number));
            return;
        }
        long stamp = recalls;
        at.line.send(
                node,
                () -> {
                    at.server.look();
                    at.server
                            .role()
                            .read(
                                    session,
                                    cell,
                                    seen ->
                                            at.line.send(
                                                    at.server.node,
                                                    () -> {
                                                        if (number != attempt) return;
                                                        if (seen == null) {
                                                            leave(at);
                                                            node.after(
                                                                    RETRY,
                                                                    () ->
                                                                            read(
                                                                                    cell, floor,
                                                                                    number));
                                                            return;
                                                        }
                                                        boolean crossed = stamp != recalls;
                                                        if (seen.leased()
                                                                && (!crossed
                                                                        || world.plant
                                                                                == Plant
                                                                                        .LATE_ANSWER_KEPT)) {
                                                            cache.put(cell, seen.value());
                                                        }
                                                        attempt++;
                                                        world.ledger.read(
                                                                node.name
                                                                        + " at "
                                                                        + at.server.name(),
                                                                cell,
                                                                seen.value(),
                                                                floor);
                                                        think();
                                                    }));
                });
        again(at, number, () -> read(cell, floor, number));
    }

    private void write(long request, Cell cell, long number) {
        Attached at = attached(true);
        if (at == null) {
            node.after(RETRY, () -> write(request, cell, number));
            return;
        }
        cache.remove(cell);
        recalls++; // what is under way may be older than this change
        at.line.send(
                node,
                () -> {
                    at.server.look();
                    at.server
                            .role()
                            .write(
                                    session,
                                    request,
                                    cell,
                                    order ->
                                            at.line.send(
                                                    at.server.node,
                                                    () -> {
                                                        if (number != attempt) return;
                                                        if (order == Role.REFUSED) {
                                                            leave(at);
                                                            node.after(
                                                                    RETRY,
                                                                    () ->
                                                                            write(
                                                                                    request, cell,
                                                                                    number));
                                                            return;
                                                        }
                                                        attempt++;
                                                        cache.remove(cell);
                                                        recalls++;
                                                        world.ledger.acknowledged(
                                                                node.name, cell, order);
                                                        think();
                                                    }));
                });
        again(at, number, () -> write(request, cell, number));
    }

    /** When the line is gone without an answer. */
    private void again(Attached at, long number, Runnable retry) {
        node.after(
                RETRY,
                () -> {
                    if (number != attempt) return;
                    if (at.line.open()) again(at, number, retry);
                    else retry.run();
                });
    }

    // ---- recalls

    void recall(Line line, Effect.SendRecall recall) {
        if (world.plant != Plant.RECALL_IGNORED) {
            recalls++;
            List<Touch> touches = recall.touches();
            cache.keySet().removeIf(cell -> touches.stream().anyMatch(touch -> hits(touch, cell)));
        }
        Attached at = reader != null && reader.line == line ? reader : leader;
        if (at == null || at.line != line) return;
        line.send(node, () -> at.server.role().recalled(session, recall.recall()));
    }

    private boolean hits(Touch touch, Cell cell) {
        if (touch.inode() != cell.inode()) return false;
        if (touch.name() == null) return cell.name() == null;
        return cell.name() != null
                && (world.plant != Plant.ABSENCE_NOT_RECALLED || cache.get(cell) != 0);
    }
}
