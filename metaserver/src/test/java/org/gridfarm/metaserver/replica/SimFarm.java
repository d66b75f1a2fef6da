package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaKey;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Nodes and files whose copies are made at once, or fail when their target is not up. Time stands
 * still but for ticks of a second.
 */
final class SimFarm implements Files {
    static final long SECOND = 1_000_000_000L;

    final Map<String, NodeFacts> nodes = new TreeMap<>();
    final Map<Long, Content> contents = new TreeMap<>();
    final Set<Long> written = new HashSet<>();
    final ReplicaMap map = new ReplicaMap(this);
    final Placement placement = new Placement(Entropy.seeded(1));
    final RepairPlanner planner =
            new RepairPlanner(map, this, placement, () -> List.copyOf(nodes.values()));
    final List<RepairEffect> done = new ArrayList<>();
    long now = SECOND;

    void node(String name, String rack, NodeState state, long capacity, long used) {
        nodes.put(
                name,
                new NodeFacts(
                        name,
                        "host-" + name,
                        rack,
                        "site-" + rack,
                        state,
                        capacity,
                        capacity - used,
                        0));
        map.nodeIs(name, state);
        map.nodeStands(name, "site-" + rack);
    }

    void state(String name, NodeState state) {
        NodeFacts old = facts(name);
        nodes.put(
                name,
                new NodeFacts(
                        name,
                        old.host(),
                        old.rack(),
                        old.group(),
                        state,
                        old.capacity(),
                        old.available(),
                        old.load()));
        map.nodeIs(name, state);
    }

    NodeFacts facts(String name) {
        NodeFacts facts = nodes.get(name);
        if (facts == null) {
            throw new IllegalStateException("no node " + name);
        }
        return facts;
    }

    void file(long inode, int wanted, long size, String... holders) {
        contents.put(inode, new Content(inode, 1, size, size, wanted, 1, ""));
        for (String holder : holders) {
            row(inode, holder, ReplicaState.VALID);
        }
        map.touched(inode);
    }

    void row(long inode, String node, ReplicaState state) {
        map.apply(
                Change.newBuilder()
                        .setReplica(
                                ReplicaImage.newBuilder()
                                        .setInode(inode)
                                        .setGeneration(1)
                                        .setNode(node)
                                        .setState(state))
                        .build());
    }

    void drop(ReplicaImage row) {
        map.apply(
                Change.newBuilder()
                        .setReplicaGone(
                                ReplicaKey.newBuilder()
                                        .setInode(row.getInode())
                                        .setStripe(row.getStripe())
                                        .setGeneration(row.getGeneration())
                                        .setNode(row.getNode()))
                        .build());
    }

    /** What the planner wants at this moment, not carried out. */
    List<RepairEffect> tick() {
        now += SECOND;
        return planner.step(new RepairEvent.Tick(now));
    }

    void carryOut(RepairEffect effect) {
        done.add(effect);
        switch (effect) {
            case RepairEffect.Drop drop -> {
                drop(drop.row());
                used(drop.row().getNode(), -bytes(drop.row().getInode()));
            }
            case RepairEffect.Copy copy -> {
                boolean made =
                        facts(copy.target()).state() == NodeState.UP
                                && facts(copy.sources().getFirst()).state().isReadable();
                if (made) {
                    row(copy.object().getInode(), copy.target(), ReplicaState.VALID);
                    used(copy.target(), copy.bytes());
                }
                planner.step(new RepairEvent.Finished(copy, made, now)).forEach(this::carryOut);
            }
        }
    }

    private long bytes(long inode) {
        Content content = contents.get(inode);
        return content == null ? 0 : content.size();
    }

    private void used(String name, long more) {
        NodeFacts old = facts(name);
        nodes.put(
                name,
                new NodeFacts(
                        name,
                        old.host(),
                        old.rack(),
                        old.group(),
                        old.state(),
                        old.capacity(),
                        old.available() - more,
                        0));
    }

    /** Until nothing is left to do. */
    void settle() {
        for (int quiet = 0, ticks = 0; quiet < 3; ticks++) {
            if (ticks > 10_000) {
                throw new AssertionError("repair does not come to rest");
            }
            List<RepairEffect> effects = tick();
            quiet = effects.isEmpty() && map.unsettled() == 0 ? quiet + 1 : 0;
            effects.forEach(this::carryOut);
        }
    }

    /** Good copies that count. */
    Set<String> holders(long inode) {
        Set<String> holders = new TreeSet<>();
        for (ReplicaImage row : map.rows(inode)) {
            if (row.getState() == ReplicaState.VALID && facts(row.getNode()).state().counts()) {
                holders.add(row.getNode());
            }
        }
        return holders;
    }

    List<Long> listed(Problem problem) {
        List<Long> found = new ArrayList<>();
        for (long inode : map.list(problem, 0, 1_000_000)) {
            found.add(inode);
        }
        return Collections.unmodifiableList(found);
    }

    @Override
    public @Nullable Content content(long inode) {
        return contents.get(inode);
    }

    @Override
    public boolean isWritten(long inode) {
        return written.contains(inode);
    }

    @Override
    public String name(long inode) {
        return "inode " + Long.toHexString(inode);
    }
}
