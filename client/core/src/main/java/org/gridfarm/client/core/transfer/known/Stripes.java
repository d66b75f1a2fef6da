package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * The objects of an opened file: the layout that names who has them, what was last heard of each,
 * and who joins their chains. Guarded by its owner's lock, but for {@link #layout}, {@link
 * #striping}, {@link #lastOutcome} and {@link #forgetOutcomes}.
 */
public final class Stripes {
    private final String node; // on this host
    private final Map<Integer, ChainOutcome> outcomes = new ConcurrentHashMap<>();
    private final Map<Integer, Set<String>> filled = new HashMap<>(); // who joins, and has it all
    private volatile Layout layout = Layout.getDefaultInstance();
    private Place here = Place.ELSEWHERE;

    public Stripes(String node) {
        this.node = node;
    }

    public Layout layout() {
        return layout;
    }

    /** What the replica of the node on this host is. */
    public Place here() {
        return here;
    }

    /**
     * The leader has answered an open or a refresh. True: the content that was known before was
     * closed, as it knows, and replaced.
     */
    public boolean answered(OpenReply reply) {
        int before = generation();
        boolean other = reply.getAttributes().getGeneration() != before;
        if (other) {
            outcomes.clear();
        }
        found(marked(reply.getLayout(), outcomes.keySet()));
        // Who does not join any more has become a member, or has failed and begins anew.
        filled.entrySet().removeIf(one -> !joining(one.getKey()).containsAll(one.getValue()));
        return other && before >= 0;
    }

    /**
     * What a former process wrote, as the chains say.
     *
     * @param found of each stripe; null where nothing was written yet
     */
    public void restored(List<@Nullable ChainOutcome> found) {
        for (int stripe = 0; stripe < found.size(); stripe++) {
            ChainOutcome outcome = found.get(stripe);
            if (outcome != null) {
                outcomes.put(stripe, outcome);
            }
        }
        found(marked(layout, outcomes.keySet()));
    }

    /** An object that was written exists from now on. */
    public void written(int stripe) {
        if (isBeingMade(stripe)) {
            found(marked(layout, List.of(stripe)));
        }
    }

    private void found(Layout now) {
        layout = now;
        here = Place.of(now, node);
    }

    /** A chain has told. */
    public void outcome(int stripe, ChainOutcome outcome) {
        outcomes.put(stripe, outcome);
    }

    /** Null: this client has not changed it, nor asked its chain to agree. */
    public @Nullable ChainOutcome lastOutcome(int stripe) {
        return outcomes.get(stripe);
    }

    /** Other nodes answer from now on. */
    public void forgetOutcomes() {
        outcomes.clear();
    }

    /** An object that was written here exists, whatever the metaserver knows of it yet. */
    private static Layout marked(Layout layout, Iterable<Integer> stripes) {
        Layout.Builder builder = layout.toBuilder();
        for (int stripe : stripes) {
            if (stripe < builder.getObjectsCount()) {
                for (Replica.Builder replica :
                        builder.getObjectsBuilder(stripe).getReplicasBuilderList()) {
                    if (replica.getState() == ReplicaState.WRITING) {
                        replica.setState(ReplicaState.VALID);
                    }
                }
            }
        }
        return builder.build();
    }

    /** Of all its objects; -1: there is none. */
    public int generation() {
        return layout.getObjectsCount() == 0
                ? -1
                : layout.getObjects(0).getObject().getGeneration();
    }

    /** Null: there are several, or none. */
    public static @Nullable ObjectId onlyObject(Layout layout) {
        boolean one = layout.getObjectsCount() == 1 && layout.getStripeCount() <= 1;
        return one ? layout.getObjects(0).getObject() : null;
    }

    public boolean isBeingMade(int stripe) {
        return stripe < layout.getObjectsCount()
                && layout.getObjects(stripe).getReplicasList().stream()
                        .anyMatch(replica -> replica.getState() == ReplicaState.WRITING);
    }

    public Striping striping() {
        Layout now = layout;
        return new Striping(Math.max(1, now.getStripeCount()), now.getStripeUnit());
    }

    /** Of a file whose objects are as they were last heard of. */
    public long fileSize() {
        return outcomes.entrySet().stream()
                .mapToLong(entry -> striping().fileSize(entry.getKey(), entry.getValue().getSize()))
                .max()
                .orElse(0);
    }

    /** When an object was changed last, where that was after the given time; 0: it was not. */
    public long changedAfter(long time) {
        return outcomes.values().stream()
                .mapToLong(ChainOutcome::getMtime)
                .filter(mtime -> mtime > time)
                .max()
                .orElse(0);
    }

    /**
     * By the clocks of the first nodes, which everybody else is shown.
     *
     * @param now for what no node has told
     */
    public long changedLast(long now) {
        long there = changedAfter(0);
        return there != 0 ? there : now;
    }

    /** The objects that exist, with what was last heard of each, and who holds them. */
    public CommitContent.Builder content(long size, IntPredicate exists) {
        CommitContent.Builder commit =
                CommitContent.newBuilder().setGeneration(Math.max(0, generation())).setSize(size);
        for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
            if (!exists.test(stripe)) {
                continue;
            }
            ChainOutcome last = outcomes.getOrDefault(stripe, ChainOutcome.getDefaultInstance());
            commit.addObjects(
                    ObjectCommit.newBuilder()
                            .setStripe(stripe)
                            .setSize(striping().objectSize(stripe, size))
                            .setDigest(last.getDigest())
                            .addAllHolders(holders(stripe)));
        }
        Long allocated = allocated(exists);
        if (allocated != null) {
            commit.setAllocated(allocated);
        }
        return commit;
    }

    /** Bytes on disk of one copy; null where not each object was heard of. */
    public @Nullable Long allocated(IntPredicate exists) {
        long allocated = 0;
        for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
            ChainOutcome last = outcomes.get(stripe);
            if (last != null) {
                allocated +=
                        last.hasAllocated() ? last.getAllocated() : Space.ofSize(last.getSize());
            } else if (exists.test(stripe)) {
                return null;
            }
        }
        return allocated;
    }

    /** The commit without what is not of the content: who told it, when, and how. */
    public static CommitContent contentAlone(CommitContent commit) {
        return commit.toBuilder()
                .clearHandle()
                .clearMtime()
                .clearClose()
                .clearDurable()
                .clearSeen()
                .build();
    }

    /** The metaserver tells others that the one object is this staged file for now. */
    public boolean isMadeOf(long staged) {
        return layout.getObjectsCount() == 1
                && layout.getObjects(0).getStaged() == StagedName.shown(staged);
    }

    /** For so long its tickets hold; a layout without any holds for ever. */
    public static long secondsOfTickets(Layout layout, long nowNanos) {
        return layout.getTicketExpiry() == 0
                ? Long.MAX_VALUE
                : layout.getTicketExpiry() - nowNanos / 1_000_000_000L;
    }

    /** Somebody has written it. */
    public boolean exists(int stripe) {
        return outcomes.containsKey(stripe) || isSomewhere(stripe);
    }

    /** Of each stripe whose chain somebody joins, those who lack what was there before. */
    public Map<Integer, Set<String>> lacking() {
        Map<Integer, Set<String>> lacking = new HashMap<>();
        for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
            Set<String> joining = joining(stripe);
            if (!joining.isEmpty() && !joining.equals(filled.get(stripe))) {
                lacking.put(stripe, joining);
            }
        }
        return lacking;
    }

    /** They have got everything; false where others join by now. */
    public boolean filled(int stripe, Set<String> nodes) {
        boolean same = joining(stripe).equals(nodes);
        if (same) {
            filled.put(stripe, nodes);
        }
        return same;
    }

    private Set<String> joining(int stripe) {
        return stripe < layout.getObjectsCount()
                ? Chain.joining(layout.getObjects(stripe).getReplicasList())
                : Set.of();
    }

    /** Names of the members that hold the whole object. */
    private List<String> holders(int stripe) {
        Set<String> joined = filled.getOrDefault(stripe, Set.of());
        return layout.getObjects(stripe).getReplicasList().stream()
                .filter(replica -> !replica.getJoining() || joined.contains(replica.getNode()))
                .map(Replica::getNode)
                .toList();
    }

    /** Whether a node holds what was committed of the stripe. */
    private boolean isSomewhere(int stripe) {
        return stripe < layout.getObjectsCount()
                && layout.getObjects(stripe).getReplicasList().stream()
                        .anyMatch(replica -> replica.getState() == ReplicaState.VALID);
    }
}
