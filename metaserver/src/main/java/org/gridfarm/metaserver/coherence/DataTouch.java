package org.gridfarm.metaserver.coherence;

/**
 * The content of an inode may be cached at most in this mode from now on.
 *
 * @param mode number of {@code gridfarm.DataMode}
 * @param layout known locations are to be dropped
 */
public record DataTouch(long inode, int mode, boolean layout) {}
