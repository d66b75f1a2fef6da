package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * Whether a file was changed since its last commit, and when: what the metaserver does not know
 * yet. Guarded by its owner's lock.
 */
public final class Uncommitted {
    private boolean dirty;
    private long changes; // grows with each
    private long mtime; // 0: not changed here since the last commit
    private long known; // an object younger than this was written by the kernel
    private int commitsUnderWay;
    private long mtimeUnderWay; // in a commit whose answer has not come; 0: none

    /** When is found otherwise. */
    public void changed() {
        dirty = true;
        changes++;
    }

    /** 0: not known when. */
    public void changedAt(long time) {
        changed();
        mtime = time;
    }

    /** How many there have been. */
    public long changes() {
        return changes;
    }

    /**
     * The object is so young, which is news where it was older before; whether there is anything to
     * commit is found otherwise.
     */
    public void seenAt(long time) {
        if (time > known) {
            known = time;
            mtime = Math.max(mtime, time); // the kernel's clock for files may lag behind ours
        }
    }

    /** When the object was changed up to this time is told already, or does not count. */
    public void knownUpTo(long time) {
        known = Math.max(known, time);
    }

    public long knownUpTo() {
        return known;
    }

    /**
     * Somebody set the time: what was written before does not count.
     *
     * @param object when the object had been changed by then
     */
    public void timeSetAt(long object) {
        mtime = 0;
        mtimeUnderWay = 0;
        known = object;
    }

    public boolean isDirty() {
        return dirty;
    }

    /** What was changed here counts for more than what the metaserver says. */
    public boolean counts() {
        return dirty || commitsUnderWay > 0;
    }

    /** All that is known to have been changed was committed, and the answers are here. */
    public boolean isSettled() {
        return commitsUnderWay == 0 && mtime == 0;
    }

    /**
     * For a commit that begins.
     *
     * @param known so many changes are in it: any later one is for the next commit
     * @return when the last of them was; 0: not known
     */
    public long take(long known) {
        long taken = mtime;
        dirty = changes > known;
        commitsUnderWay++;
        mtimeUnderWay = mtime;
        mtime = 0;
        return taken;
    }

    /** The metaserver has answered a commit. */
    public void answered() {
        if (--commitsUnderWay == 0) {
            mtimeUnderWay = 0;
        }
    }

    public void failed(long taken) {
        dirty = true;
        answered();
        if (mtime == 0) {
            mtime = taken;
        }
    }

    /** Nobody is left who could commit it. */
    public void forget() {
        dirty = false;
        mtime = 0;
    }

    /**
     * The attributes as they will be when everything is committed.
     *
     * @param allocated null: not known
     * @param alone nobody else writes: else a later time is that of another's write
     */
    public Attributes over(Attributes base, long size, @Nullable Long allocated, boolean alone) {
        if (!counts()) {
            return base;
        }
        Attributes.Builder now = base.toBuilder().setSize(size);
        if (allocated != null) {
            now.setAllocated(allocated);
        }
        long changed = mtime != 0 ? mtime : mtimeUnderWay;
        boolean wasLast = alone || changed >= WriteTimes.written(base);
        if (changed != 0 && wasLast) {
            WriteTimes.show(now, changed);
        }
        return now.build();
    }
}
