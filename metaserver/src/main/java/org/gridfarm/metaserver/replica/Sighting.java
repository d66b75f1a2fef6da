package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What becomes of a row when its node has been asked for the object by name. An inventory is a
 * walk: what is sealed, written or copied while it is made or on its way is not in it. So nothing
 * is lost because an inventory does not show it; the node is asked, after the row was there, and
 * the first line that applies tells.
 *
 * <pre>
 *   the node has                                               the row
 *   (the row went meanwhile, or the file)                      PASSED: nothing
 *   this generation                                            LOST becomes VALID (FOUND), others stay (STANDS)
 *   this generation, in quarantine                             CORRUPT (DAMAGED)
 *   a later one, while the file is open or being sealed        stays: the seal tells (STANDS)
 *   the next one, and no other good copy is known              the file is sealed once more, and goes on with that (SEAL_AGAIN)
 *   nothing of it, and a good copy can be read elsewhere       goes (GONE); while the file is open, one that is away will do:
 *                                                              what is written meanwhile this one misses
 *   nothing of it, the row being CORRUPT                       stays (STANDS): it is in quarantine, or was
 *   nothing of it, and no other row tells of the content       LOST, and asked for again
 *   nothing of it, the row being STALE                         goes (GONE)
 * </pre>
 */
public enum Sighting {
    PASSED,
    STANDS,
    FOUND,
    DAMAGED,
    SEAL_AGAIN,
    GONE,
    LOST;

    /** What is known of the file when the answer has come. */
    public record Known(@Nullable Content content, boolean written, ReplicaMap map) {
        boolean isReadableBeside(ReplicaImage row) {
            return beside(row, Whereabouts.HERE);
        }

        boolean isKnownBeside(ReplicaImage row) {
            return isReadableBeside(row) || beside(row, Whereabouts.AWAY);
        }

        private boolean beside(ReplicaImage row, Whereabouts wanted) {
            for (ReplicaImage other : others(row)) {
                NodeState node = map.nodeState(other.getNode());
                if (Whereabouts.of(other.getStateValue(), node) == wanted) {
                    return true;
                }
            }
            return false;
        }

        /** Another row keeps it known that there was content. */
        boolean isToldBeside(ReplicaImage row) {
            return others(row).stream()
                    .anyMatch(other ->
                            switch (other.getState()) {
                                case VALID, LOST, CORRUPT -> true;
                                default -> false;
                            });
        }

        private List<ReplicaImage> others(ReplicaImage row) {
            return map.rows(row.getInode(), row.getStripe(), row.getGeneration()).stream()
                    .filter(other -> !other.getNode().equals(row.getNode()))
                    .toList();
        }
    }

    /**
     * @param row as it is now; null: it went
     * @param found what the node has of the object, of all generations
     */
    public static Sighting of(@Nullable ReplicaImage row, Known known, List<FoundObject> found) {
        Content content = known.content();
        if (row == null || content == null) {
            return PASSED;
        }
        boolean later = false;
        boolean next = false;
        for (FoundObject object : found) {
            if (!isOf(row, object.getObject())) {
                continue;
            }
            int ahead =
                    Integer.compareUnsigned(
                            object.getObject().getGeneration(), row.getGeneration());
            if (ahead == 0 && object.getQuarantined()) {
                return row.getState() == ReplicaState.CORRUPT ? STANDS : DAMAGED;
            }
            if (ahead == 0) {
                return row.getState() == ReplicaState.LOST ? FOUND : STANDS;
            }
            later |= ahead > 0 && !object.getQuarantined();
            next |=
                    !object.getQuarantined()
                            && object.getObject().getGeneration() == row.getGeneration() + 1;
        }
        boolean current = row.getGeneration() == content.generation() && content.size() > 0;
        if (!current) {
            return GONE;
        }
        if (later && known.written()) {
            return STANDS;
        }
        boolean promised =
                row.getState() == ReplicaState.VALID || row.getState() == ReplicaState.LOST;
        if (next && promised && content.stripes() == 1 && !known.isKnownBeside(row)) {
            return SEAL_AGAIN;
        }
        return absent(row, known);
    }

    private static Sighting absent(ReplicaImage row, Known known) {
        if (known.isReadableBeside(row) || (known.written() && known.isKnownBeside(row))) {
            return GONE;
        }
        return switch (row.getState()) {
            case VALID, LOST -> LOST;
            case CORRUPT -> STANDS;
            default -> known.isToldBeside(row) ? GONE : LOST;
        };
    }

    private static boolean isOf(ReplicaImage row, ObjectId object) {
        return object.getInode() == row.getInode() && object.getStripe() == row.getStripe();
    }
}
