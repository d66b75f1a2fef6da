package org.gridfarm.namespace;

/**
 * What a decision needs to know beside the namespace. Asked only while {@link Namespace#decide}
 * runs.
 */
public interface Context {
    /**
     * Nanoseconds since 1970. Should never go back: a change would seem older than what it changed.
     */
    long now();

    /**
     * A number that no inode ever had. Asked for at most once by a decision; a number of a refused
     * command may be lost.
     */
    long nextInode();

    /** Whether some session has the inode open: then it outlives its last name. */
    boolean isOpen(long inode);

    /**
     * Whether the handle is an open file of the session, for writing, on this inode: such a handle
     * permits what mode bits might not.
     */
    boolean mayWrite(long session, long handle, long inode);

    /** Whether the session has the inode open for writing. */
    boolean isWriting(long session, long inode);
}
