package org.gridfarm.storagenode.replica;

/**
 * Who may write into a replica's plain file behind its back, and whether its sums are to be taken
 * anew therefore. Owned by the replica.
 *
 * <p>The sums are right again after a <em>pass</em> over all blocks, which takes several turns of
 * the object. What somebody leaves changed while a pass is under way may lie in blocks that it has
 * passed, so that pass settles nothing; nor does one that another has overtaken from the start.
 */
final class LocalWriters {
    private int count;
    private boolean leftChanged; // by those who came before the ones of now, or have gone
    private long leavings; // so often something may have been left changed
    private long leavingsBeforePass;
    private long passed; // the block that the pass goes on from

    void begin() {
        count++;
    }

    /**
     * @param wrote false: he has changed nothing
     */
    void end(boolean wrote) {
        count--;
        if (wrote) {
            mayHaveWritten();
        }
    }

    /** What was written before, and by whom, is not known. */
    void mayHaveWritten() {
        leftChanged = true;
        leavings++;
    }

    /**
     * The sums of blocks from one on were taken.
     *
     * @param next the block behind them, or -1 at the end
     */
    void summed(long from, long next) {
        if (from == 0) {
            leavingsBeforePass = leavings;
        } else if (from != passed) {
            return;
        }
        passed = next;
        if (next < 0 && leavings == leavingsBeforePass) {
            leftChanged = false;
        }
    }

    boolean any() {
        return count > 0;
    }

    /** Something may have been changed since the last pass that nobody could spoil. */
    boolean haveChanged() {
        return any() || leftChanged;
    }
}
