package org.gridfarm.metaserver.coherence;

/**
 * The content of an inode may be cached at most in this mode from now on.
 *
 * @param mode number of {@code gridfarm.DataMode}
 * @param layout known locations are to be dropped
 * @param privileges somebody gave the file set-user or set-group bits or capabilities, which
 *     whoever writes takes away first
 */
public record DataTouch(long inode, int mode, boolean layout, boolean privileges) {
    public DataTouch(long inode, int mode, boolean layout) {
        this(inode, mode, layout, false);
    }
}
