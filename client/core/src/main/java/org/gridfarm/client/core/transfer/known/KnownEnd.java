package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Where an open file ends, as this process knows it: its mode, its size, and which of its changes
 * the leader does not know yet. Guarded by its owner's lock, but for {@link #mode} and {@link
 * #wasShared}, which are read without; does no IO.
 *
 * <p>INVARIANT: while the mode is EXCLUSIVE, the size is the end of what the file's objects hold,
 * with every change that this process was told is done. Three rules keep it so:
 *
 * <ul>
 *   <li>An answer of the leader replaces the size only where it knows of all that is done here: no
 *       change is under way or uncommitted, no commit is under way, and no newer answer came
 *       before.
 *   <li>The mode rises to EXCLUSIVE only under the same condition. Until then the chain is asked.
 *   <li>An append takes its place, and a commit its size, from here in the same step that finds the
 *       mode EXCLUSIVE. Whoever lowers the mode waits for the appends that have their places.
 * </ul>
 *
 * <p>In the other modes the size is a hint. What is committed in WRITE_SHARED was asked of the
 * chain after a version of the inode was known, and the leader refuses it when another session has
 * committed since: the commit that counts is the one whose size was asked for last.
 */
public final class KnownEnd {
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    public final Uncommitted uncommitted = new Uncommitted();
    private volatile DataMode mode = DataMode.DATA_MODE_UNSPECIFIED;
    private volatile boolean wasShared;
    private long size;
    private long seen; // version of the newest answer of the leader
    private long reserved; // end of the last append that has its place
    private int reservedUnderWay;
    private int changing; // changes that are under way
    private CompletableFuture<Void> reservedEnded = NOTHING;

    public DataMode mode() {
        return mode;
    }

    public long size() {
        return size;
    }

    /** Nobody else writes. */
    public boolean isAlone() {
        return mode == DataMode.EXCLUSIVE;
    }

    /** So many of those bytes lie within the file, at most {@code length}; -1: not known here. */
    public int known(long offset, int length) {
        boolean isKnown = isAlone() || mode == DataMode.READ_SHARED;
        return isKnown ? (int) Math.max(0, Math.min(length, size - offset)) : -1;
    }

    /** The size that nobody can change in this mode; -1: somebody may. */
    public long unchanging() {
        return mode == DataMode.READ_SHARED ? size : -1;
    }

    /** So many changes are. */
    public int underWay() {
        return changing;
    }

    /** Others have, or had, the file open beside a writer. */
    public boolean wasShared() {
        return wasShared;
    }

    // ---- what the leader says
    // -----------------------------------------------------------------------------------------------------------

    /** It was made before an answer that has come already. */
    public boolean isOvertaken(long version) {
        return version < seen;
    }

    /** The leader has answered an open or a refresh. */
    public void answered(DataMode now, long version, long sizeThere) {
        boolean all = changing == 0 && !uncommitted.counts() && !isOvertaken(version);
        if (all || now != DataMode.EXCLUSIVE || mode != DataMode.WRITE_SHARED) {
            mode = now;
        }
        if (all) {
            size = sizeThere;
        }
        seen = Math.max(seen, version);
        modeCounts();
    }

    /**
     * The leader has answered a commit. False where a newer answer came before: nothing of this one
     * counts.
     */
    public boolean committed(long version, long sizeThere) {
        uncommitted.answered();
        if (isOvertaken(version)) {
            return false;
        }
        seen = version;
        if (isAlone() && !uncommitted.counts()) {
            size = sizeThere;
        }
        return true;
    }

    /**
     * @param most what may be done from now on; DATA_MODE_UNSPECIFIED: as much as before
     */
    public void lowered(DataMode most) {
        mode = most == DataMode.DATA_MODE_UNSPECIFIED ? mode : most;
    }

    /** Others may go on as the mode lets them. */
    public void modeCounts() {
        wasShared |= mode == DataMode.WRITE_SHARED;
    }

    /** The chain has told it, a while ago. */
    public void seen(long sizeThere) {
        if (!isAlone()) {
            is(sizeThere);
        }
    }

    /**
     * The size that a commit tells.
     *
     * @param seen version of the inode that was known before this was
     * @param changes how many there had been here before: later ones are for the next commit
     * @param written when somebody wrote last, as far as the chain and the metaserver tell; 0: that
     *     is this process
     */
    public record Told(long seen, long changes, long size, long written) {}

    /** By this process; null: others write, too, so the chain is to be asked. */
    public @Nullable Told told() {
        return isAlone() ? new Told(seen, uncommitted.changes(), size, 0) : null;
    }

    // ---- what is done here
    // --------------------------------------------------------------------------------------------------------------

    /**
     * @param more changes are under way; negative: have ended, after they were told by {@link
     *     #wrote} or {@link #resized} if they were done
     */
    public void changing(int more) {
        changing += more;
    }

    /** The place of an append while nobody else writes; -1 where others may. */
    public long reserve(long length) {
        if (!isAlone()) {
            return -1;
        }
        long offset = Math.max(size, reserved);
        reserved = offset + length;
        if (reservedUnderWay++ == 0) {
            reservedEnded = new CompletableFuture<>();
        }
        return offset;
    }

    /** Completes when the appends that have a place of their own have arrived there, or failed. */
    public CompletableFuture<Void> reservedEnded() {
        return reservedEnded;
    }

    /** Returns what is to be completed outside the lock. */
    public CompletableFuture<Void> appendEnded() {
        if (--reservedUnderWay > 0) {
            return NOTHING;
        }
        reserved = 0;
        return reservedEnded;
    }

    public void wrote(long end, long now) {
        size = Math.max(size, end);
        uncommitted.changedAt(now);
    }

    public void resized(long newSize, long now) {
        size = newSize;
        uncommitted.changedAt(now);
    }

    /**
     * The chain has found what the kernel wrote. A size that is news counts as a change: a commit
     * that is under way may tell the one before, and its answer is not to replace this one.
     */
    public void found(long sizeThere) {
        if (sizeThere != size) {
            size = sizeThere;
            uncommitted.changed();
        }
    }

    /** The chain has told. */
    public void is(long told) {
        size = told;
    }
}
