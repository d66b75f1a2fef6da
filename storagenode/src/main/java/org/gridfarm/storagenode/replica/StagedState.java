package org.gridfarm.storagenode.replica;

/**
 * A staged file as it is.
 *
 * @param size bytes
 * @param allocated bytes on disk
 * @param mtime nanoseconds since 1970
 */
public record StagedState(long size, long allocated, long mtime) {
    /** Nobody has written into it, or reserved space. */
    public boolean isUnused() {
        return size == 0 && allocated == 0;
    }
}
