package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How it becomes known what a node has after it started: it shows its inventory, page by page, and
 * is then asked by name for what it should have and did not show.
 *
 * <pre>
 *   TELLING --last page, all shown--> OVER
 *   TELLING --last page, some not shown--> ASKING --all answered--> OVER
 * </pre>
 *
 * Until it is over the node is suspect: its copies count, and none of them is read, or is the
 * reason to drop another one.
 */
public final class RollCall {
    private final Set<ObjectId> shown = new HashSet<>();
    private final Set<ObjectId> missing = new LinkedHashSet<>(); // to be asked for
    private boolean telling;

    /**
     * @param owed the node shows its inventory; else it is over
     */
    public RollCall(boolean owed) {
        this.telling = owed;
    }

    public boolean isOver() {
        return !telling && missing.isEmpty();
    }

    public boolean isAsking() {
        return !telling && !missing.isEmpty();
    }

    public void shows(ObjectId object) {
        shown.add(object);
    }

    /**
     * The last page has come.
     *
     * @param rows what the node should have
     */
    public void ends(Collection<ReplicaImage> rows) {
        telling = false;
        for (ReplicaImage row : rows) {
            ObjectId object = object(row);
            if (row.getState() != ReplicaState.COPYING && !shown.contains(object)) {
                missing.add(object);
            }
        }
        shown.clear();
    }

    /** Some that the node is still to be asked for. */
    public List<ObjectId> missing(int max) {
        List<ObjectId> some = new ArrayList<>();
        for (Iterator<ObjectId> each = missing.iterator(); each.hasNext() && some.size() < max; ) {
            some.add(each.next());
        }
        return some;
    }

    public void answered(Collection<ObjectId> objects) {
        objects.forEach(missing::remove);
    }

    public static ObjectId object(ReplicaImage row) {
        return ObjectId.newBuilder()
                .setInode(row.getInode())
                .setStripe(row.getStripe())
                .setGeneration(row.getGeneration())
                .build();
    }
}
