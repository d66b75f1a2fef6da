package org.gridfarm.storagenode.replica;

/**
 * Who may write into a replica's plain file behind its back, and whether its sums are to be taken
 * anew therefore. Owned by the replica.
 */
final class LocalWriters {
    private int count;
    private boolean leftChanged; // by those who came before the ones of now, or have gone

    void begin() {
        count++;
    }

    /**
     * @param wrote false: he has changed nothing
     */
    void end(boolean wrote) {
        count--;
        leftChanged |= wrote;
    }

    /** What was written before, and by whom, is not known. */
    void mayHaveWritten() {
        leftChanged = true;
    }

    void rescanned() {
        leftChanged = false;
    }

    boolean any() {
        return count > 0;
    }

    /** Something may have been changed since the last rescan that nobody could spoil. */
    boolean haveChanged() {
        return any() || leftChanged;
    }
}
