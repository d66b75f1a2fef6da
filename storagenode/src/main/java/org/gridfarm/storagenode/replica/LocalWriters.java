package org.gridfarm.storagenode.replica;

/**
 * Who may write into a replica's plain file behind its back, and whether its sums are to be taken
 * anew therefore. Owned by the replica.
 */
final class LocalWriters {
    private int count;
    private boolean changed;
    private boolean left; // changed, by those who came before the ones of now, or have gone

    void begin() {
        count++;
        changed = true;
    }

    /**
     * @param wrote false: he has changed nothing
     */
    void end(boolean wrote) {
        count--;
        left |= wrote;
        changed &= count > 0 || left;
    }

    /** What was written before, and by whom, is not known. */
    void mayHaveWritten() {
        changed = true;
        left = true;
    }

    void rescanned() {
        changed = count > 0;
        left = false;
    }

    boolean any() {
        return count > 0;
    }

    /** Something may have been changed since the last rescan that nobody could spoil. */
    boolean haveChanged() {
        return changed;
    }
}
