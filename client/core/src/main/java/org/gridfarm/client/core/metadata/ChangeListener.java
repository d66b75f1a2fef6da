package org.gridfarm.client.core.metadata;

/** Hears of changes that this client has made. */
@FunctionalInterface
public interface ChangeListener {
    /**
     * The change was answered, or nobody knows what became of it; the caches tell nothing of before
     * it. Called on network threads; must not block.
     *
     * @param inodes whose attributes it concerns, as far as they are known
     * @param directories in which it concerns a name
     */
    void changed(long[] inodes, long[] directories);
}
