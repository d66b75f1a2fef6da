package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** What having been written means to the objects of a layout. */
public final class WrittenStripes {
    private WrittenStripes() {}

    /** An object that was written here exists, whatever the metaserver knows of it yet. */
    public static Layout marked(Layout layout, Iterable<Integer> stripes) {
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
    public static int generation(Layout layout) {
        return layout.getObjectsCount() == 0
                ? -1
                : layout.getObjects(0).getObject().getGeneration();
    }

    /** Null: there are several, or none. */
    public static @Nullable ObjectId onlyObject(Layout layout) {
        boolean one = layout.getObjectsCount() == 1 && layout.getStripeCount() <= 1;
        return one ? layout.getObjects(0).getObject() : null;
    }

    public static boolean isBeingMade(Layout layout, int stripe) {
        return stripe < layout.getObjectsCount()
                && layout.getObjects(stripe).getReplicasList().stream()
                        .anyMatch(replica -> replica.getState() == ReplicaState.WRITING);
    }

    public static Striping striping(Layout layout) {
        return new Striping(Math.max(1, layout.getStripeCount()), layout.getStripeUnit());
    }

    /** Without the objects that do not exist, which are null in the list. */
    public static Map<Integer, ChainOutcome> byStripe(List<@Nullable ChainOutcome> outcomes) {
        Map<Integer, ChainOutcome> existing = new HashMap<>();
        for (int stripe = 0; stripe < outcomes.size(); stripe++) {
            ChainOutcome outcome = outcomes.get(stripe);
            if (outcome != null) {
                existing.put(stripe, outcome);
            }
        }
        return existing;
    }

    /** Of a file whose objects are as they were last heard of. */
    public static long fileSize(Layout layout, Map<Integer, ChainOutcome> outcomes) {
        return outcomes.entrySet().stream()
                .mapToLong(entry ->
                        striping(layout).fileSize(entry.getKey(), entry.getValue().getSize()))
                .max()
                .orElse(0);
    }

    /** When an object was changed last, where that was after the given time; 0: it was not. */
    public static long changedAfter(long time, Collection<ChainOutcome> outcomes) {
        return outcomes.stream()
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
    public static long changedLast(Map<Integer, ChainOutcome> outcomes, long now) {
        long there = changedAfter(0, outcomes.values());
        return there != 0 ? there : now;
    }

    /** The objects that exist, with what was last heard of each, and who holds them. */
    public static CommitContent.Builder content(
            Layout layout,
            long size,
            Map<Integer, ChainOutcome> outcomes,
            Joining joining,
            IntPredicate exists) {
        CommitContent.Builder commit =
                CommitContent.newBuilder()
                        .setGeneration(Math.max(0, generation(layout)))
                        .setSize(size);
        for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
            if (!exists.test(stripe)) {
                continue;
            }
            ChainOutcome last = outcomes.getOrDefault(stripe, ChainOutcome.getDefaultInstance());
            ObjectLocation location = layout.getObjects(stripe);
            commit.addObjects(
                    ObjectCommit.newBuilder()
                            .setStripe(stripe)
                            .setSize(striping(layout).objectSize(stripe, size))
                            .setDigest(last.getDigest())
                            .addAllHolders(joining.holders(location, stripe)));
        }
        Long allocated = allocated(layout, outcomes, exists);
        if (allocated != null) {
            commit.setAllocated(allocated);
        }
        return commit;
    }

    /** Bytes on disk of one copy; null where not each object was heard of. */
    public static @Nullable Long allocated(
            Layout layout, Map<Integer, ChainOutcome> outcomes, IntPredicate exists) {
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
    public static boolean isMadeOf(Layout layout, long staged) {
        return layout.getObjectsCount() == 1
                && layout.getObjects(0).getStaged() == StagedName.shown(staged);
    }

    /** For so long its tickets hold; a layout without any holds for ever. */
    public static long secondsOfTickets(Layout layout, long nowNanos) {
        return layout.getTicketExpiry() == 0
                ? Long.MAX_VALUE
                : layout.getTicketExpiry() - nowNanos / 1_000_000_000L;
    }

    /** Whether a node holds what was committed of the stripe. */
    public static boolean isSomewhere(Layout layout, int stripe) {
        return stripe < layout.getObjectsCount()
                && layout.getObjects(stripe).getReplicasList().stream()
                        .anyMatch(replica -> replica.getState() == ReplicaState.VALID);
    }
}
