package org.gridfarm.client.mount.own;

import java.util.HashSet;
import java.util.Set;

/**
 * Directories that were asked back before this mount had heard that it has them. Bounded; guarded
 * by its owner's lock.
 */
final class EarlyRecalls {
    private static final int MAX = 4096;

    private final Set<Long> directories = new HashSet<>();

    void add(long directory) {
        if (directories.size() >= MAX) directories.clear();
        directories.add(directory);
    }

    /** Whether it was among them; it is no more. */
    boolean remove(long directory) {
        return directories.remove(directory);
    }
}
