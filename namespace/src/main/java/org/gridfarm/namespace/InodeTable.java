package org.gridfarm.namespace;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * Inodes by number: open addressing with linear probing, in segments that grow one by one, so that
 * no insertion has to move millions at once. About 7 bytes per inode.
 */
final class InodeTable {
    private static final int SEGMENTS = 1024;
    private static final int SLOTS_MIN = 8;

    private final @Nullable Inode[][] segments = new @Nullable Inode[SEGMENTS][SLOTS_MIN];
    private final int[] counts = new int[SEGMENTS];
    private long size;

    long size() {
        return size;
    }

    @Nullable Inode get(long number) {
        long hash = hash(number);
        @Nullable Inode[] slots = segments[segment(hash)];
        return slots[find(slots, number, hash)];
    }

    void add(Inode inode) {
        long hash = hash(inode.number);
        int segment = segment(hash);
        @Nullable Inode[] slots = segments[segment];
        if ((counts[segment] + 1) * 4 > slots.length * 3) {
            slots = grow(slots);
            segments[segment] = slots;
        }
        int slot = find(slots, inode.number, hash);
        if (slots[slot] == null) {
            counts[segment]++;
            size++;
        }
        slots[slot] = inode;
    }

    void remove(long number) {
        long hash = hash(number);
        int segment = segment(hash);
        @Nullable Inode[] slots = segments[segment];
        int hole = find(slots, number, hash);
        if (slots[hole] == null) {
            return;
        }
        counts[segment]--;
        size--;
        int mask = slots.length - 1;
        slots[hole] = null;
        int next = (hole + 1) & mask;
        for (Inode moved = slots[next];
                moved != null;
                next = (next + 1) & mask, moved = slots[next]) {
            int home = (int) hash(moved.number) & mask;
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                slots[hole] = moved;
                slots[next] = null;
                hole = next;
            }
        }
    }

    void forEach(Consumer<Inode> action) {
        for (@Nullable Inode[] slots : segments) {
            for (Inode inode : slots) {
                if (inode != null) {
                    action.accept(inode);
                }
            }
        }
    }

    private static @Nullable Inode[] grow(@Nullable Inode[] old) {
        @Nullable Inode[] slots = new @Nullable Inode[old.length * 2];
        for (Inode inode : old) {
            if (inode != null) {
                slots[find(slots, inode.number, hash(inode.number))] = inode;
            }
        }
        return slots;
    }

    private static int find(@Nullable Inode[] slots, long number, long hash) {
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        for (Inode inode = slots[slot];
                inode != null && inode.number != number;
                inode = slots[slot]) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int segment(long hash) {
        return (int) (hash >>> 40) & (SEGMENTS - 1);
    }

    private static long hash(long number) {
        long hash = number * 0x9E3779B97F4A7C15L;
        return hash ^ (hash >>> 29);
    }
}
