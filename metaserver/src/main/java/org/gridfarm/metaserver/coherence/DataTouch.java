package org.gridfarm.metaserver.coherence;

/**
 * The content of an inode may be cached at most in this mode from now on.
 *
 * @param mode number of {@code gridfarm.DataMode}
 * @param layout known locations are to be dropped
 * @param privileges somebody gave the file set-user or set-group bits or capabilities, which
 *     whoever writes takes away first
 * @param written somebody sets the file's times: what was written is to be committed before
 * @param delegation the inode is a directory that is delegated to the session, and is to be given
 *     back
 */
public record DataTouch(
        long inode,
        int mode,
        boolean layout,
        boolean privileges,
        boolean written,
        boolean delegation) {
    public DataTouch(long inode, int mode, boolean layout) {
        this(inode, mode, layout, false, false, false);
    }

    /** Nothing but that: as much may be cached as before. */
    public static DataTouch ofPrivileges(long inode) {
        return new DataTouch(inode, 0, false, true, false, false);
    }

    /** Nothing but that. */
    public static DataTouch ofTimes(long inode) {
        return new DataTouch(inode, 0, false, false, true, false);
    }

    /** Nothing but that. */
    public static DataTouch ofDelegation(long directory) {
        return new DataTouch(directory, 0, false, false, false, true);
    }
}
