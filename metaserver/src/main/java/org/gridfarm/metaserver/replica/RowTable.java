package org.gridfarm.metaserver.replica;

import org.jspecify.annotations.Nullable;

import java.util.function.LongConsumer;

/**
 * Inode number to its rows, packed three ints each: open addressing with linear probing, no boxes.
 * Numbers are not 0.
 */
final class RowTable {
    private static final int SLOTS_MIN = 64;

    private long[] keys = new long[SLOTS_MIN];
    private int[] @Nullable [] rows = new int[SLOTS_MIN] @Nullable [];
    private int size;

    int size() {
        return size;
    }

    int @Nullable [] get(long inode) {
        return rows[find(inode)];
    }

    void put(long inode, int[] packed) {
        int slot = find(inode);
        boolean fresh = rows[slot] == null;
        keys[slot] = inode;
        rows[slot] = packed;
        if (fresh && ++size * 3 > keys.length * 2) {
            grow();
        }
    }

    void remove(long inode) {
        int hole = find(inode);
        if (rows[hole] == null) {
            return;
        }
        size--;
        int mask = keys.length - 1;
        for (int next = (hole + 1) & mask; keys[next] != 0; next = (next + 1) & mask) {
            int home = slotOf(keys[next], mask);
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                keys[hole] = keys[next];
                rows[hole] = rows[next];
                hole = next;
            }
        }
        keys[hole] = 0;
        rows[hole] = null;
    }

    /** The action must not change the table. */
    void forEach(LongConsumer action) {
        for (long key : keys) {
            if (key != 0) {
                action.accept(key);
            }
        }
    }

    private int find(long inode) {
        int mask = keys.length - 1;
        int slot = slotOf(inode, mask);
        while (keys[slot] != 0 && keys[slot] != inode) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int slotOf(long inode, int mask) {
        long hash = inode * 0x9E3779B97F4A7C15L;
        return (int) (hash ^ (hash >>> 32)) & mask;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] @Nullable [] oldRows = rows;
        keys = new long[oldKeys.length * 2];
        rows = new int[keys.length] @Nullable [];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int slot = find(oldKeys[i]);
                keys[slot] = oldKeys[i];
                rows[slot] = oldRows[i];
            }
        }
    }
}
