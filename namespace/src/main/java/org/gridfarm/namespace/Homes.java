package org.gridfarm.namespace;

import java.util.function.LongPredicate;

/**
 * In which directories a file with several names has how many: without it, whoever takes a name
 * away would have to walk the directory to see whether another one is left there. Open addressing
 * with linear probing; some 20 bytes per directory.
 */
final class Homes {
    private static final int SLOTS_MIN = 4;

    private long[] directories = new long[SLOTS_MIN]; // 0: free
    private int[] names = new int[SLOTS_MIN];
    private int used;
    private int total;

    /** Names in all directories together. */
    int total() {
        return total;
    }

    int in(long directory) {
        return names[find(directory)];
    }

    boolean any(LongPredicate such) {
        for (long directory : directories) {
            if (directory != 0 && such.test(directory)) {
                return true;
            }
        }
        return false;
    }

    void add(long directory) {
        int slot = find(directory);
        if (directories[slot] == 0) {
            if ((used + 1) * 3 > directories.length * 2) {
                grow();
                slot = find(directory);
            }
            directories[slot] = directory;
            used++;
        }
        names[slot]++;
        total++;
    }

    /** Nothing happens where no name is known there. */
    void remove(long directory) {
        int slot = find(directory);
        if (directories[slot] == 0) {
            return;
        }
        total--;
        if (--names[slot] == 0) {
            used--;
            close(slot);
        }
    }

    private void close(int free) {
        int mask = directories.length - 1;
        int hole = free;
        directories[hole] = 0;
        for (int next = (hole + 1) & mask; directories[next] != 0; next = (next + 1) & mask) {
            int home = home(directories[next], mask);
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                directories[hole] = directories[next];
                names[hole] = names[next];
                directories[next] = 0;
                names[next] = 0;
                hole = next;
            }
        }
    }

    private void grow() {
        long[] oldDirectories = directories;
        int[] oldNames = names;
        directories = new long[oldDirectories.length * 2];
        names = new int[oldNames.length * 2];
        for (int i = 0; i < oldDirectories.length; i++) {
            if (oldDirectories[i] != 0) {
                int slot = find(oldDirectories[i]);
                directories[slot] = oldDirectories[i];
                names[slot] = oldNames[i];
            }
        }
    }

    private int find(long directory) {
        int mask = directories.length - 1;
        int slot = home(directory, mask);
        while (directories[slot] != 0 && directories[slot] != directory) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int home(long directory, int mask) {
        long hash = directory * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32) & mask;
    }
}
