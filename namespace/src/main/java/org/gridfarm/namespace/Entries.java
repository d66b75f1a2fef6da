package org.gridfarm.namespace;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The names in one directory: an array in the order of the cookies, which is the order of listing,
 * and, from a few names on, a table of positions in it, hashed by name. Removal leaves a gap in the
 * array until half of it is gaps. Cookies only grow, so a listing goes on at the right place
 * however the directory changes meanwhile.
 */
final class Entries extends Extra {
    /** So few names are compared one by one. */
    private static final int UNINDEXED_MAX = 8;

    private static final int REMOVED = -1;
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private @Nullable Entry[] order = new @Nullable Entry[2];
    private int end; // positions in use, gaps included
    private int count;
    private int @Nullable [] index; // position + 1; 0: free
    private int indexUsed; // slots that are not free
    private boolean sorted = true;
    private long lastCookie;

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** For the next new name. */
    long nextCookie() {
        return lastCookie + 1;
    }

    @Nullable Entry get(byte[] name) {
        int position = find(name);
        return position < 0 ? null : order[position];
    }

    /**
     * The name now means this inode, under this cookie.
     *
     * @return what it meant before
     */
    @Nullable Inode put(byte[] name, Inode inode, long cookie) {
        lastCookie = Math.max(lastCookie, cookie);
        int position = find(name);
        if (position >= 0) {
            Entry entry = entry(position);
            Inode former = entry.inode;
            entry.inode = inode;
            if (entry.cookie != cookie) {
                entry.cookie = cookie;
                sorted = false;
            }
            return former;
        }
        if (end == order.length) {
            if (end > 8 && count < end - end / 4) {
                pack();
            } else {
                order = Arrays.copyOf(order, end < 16 ? end * 2 : end + end / 2);
            }
        }
        if (end > 0 && sorted) {
            Entry last = lastEntry();
            sorted = last == null || last.cookie < cookie;
        }
        order[end++] = new Entry(name, inode, cookie);
        count++;
        if (index != null) {
            insert(name, end - 1);
        } else if (end > UNINDEXED_MAX) {
            reindex();
        }
        return null;
    }

    /** What the name meant; null: there is none. */
    @Nullable Inode remove(byte[] name) {
        int position = find(name);
        if (position < 0) {
            return null;
        }
        Inode meant = entry(position).inode;
        if (index != null) {
            index[slotOf(name, position)] = REMOVED;
        }
        order[position] = null;
        count--;
        if (position == end - 1) {
            while (end > 0 && order[end - 1] == null) {
                end--;
            }
        } else if (end > UNINDEXED_MAX && count < end / 2) {
            pack();
        }
        return meant;
    }

    /** Position of the first entry whose cookie is greater; walk on with {@link #at}. */
    int after(long cookie) {
        if (!sorted) {
            pack();
        }
        int low = 0;
        int high = end;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int probe = middle; // the nearest entry at or after the middle; only gaps lie between
            while (probe < high && order[probe] == null) {
                probe++;
            }
            if (probe == high) {
                high = middle;
            } else if (entry(probe).cookie <= cookie) {
                low = probe + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Positions are valid until the next change. */
    int end() {
        return end;
    }

    /** Null: a gap. */
    @Nullable Entry at(int position) {
        return order[position];
    }

    private Entry entry(int position) {
        Entry entry = order[position];
        if (entry == null) {
            throw new IllegalStateException("no entry at " + position);
        }
        return entry;
    }

    private @Nullable Entry lastEntry() {
        for (int i = end - 1; i >= 0; i--) {
            if (order[i] != null) {
                return order[i];
            }
        }
        return null;
    }

    private int find(byte[] name) {
        if (index == null) {
            for (int i = 0; i < end; i++) {
                Entry entry = order[i];
                if (entry != null && Arrays.equals(entry.name, name)) {
                    return i;
                }
            }
            return -1;
        }
        int mask = index.length - 1;
        for (int slot = hash(name) & mask; index[slot] != 0; slot = (slot + 1) & mask) {
            int position = index[slot] - 1;
            if (index[slot] != REMOVED && Arrays.equals(entry(position).name, name)) {
                return position;
            }
        }
        return -1;
    }

    private int slotOf(byte[] name, int position) {
        int[] table = table();
        int mask = table.length - 1;
        int slot = hash(name) & mask;
        while (table[slot] != position + 1) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void insert(byte[] name, int position) {
        int[] table = table();
        if ((indexUsed + 1) * 3 > table.length * 2) {
            reindex();
            return;
        }
        int mask = table.length - 1;
        int slot = hash(name) & mask;
        while (table[slot] > 0) {
            slot = (slot + 1) & mask;
        }
        if (table[slot] == 0) {
            indexUsed++;
        }
        table[slot] = position + 1;
    }

    private int[] table() {
        if (index == null) {
            throw new IllegalStateException("not indexed");
        }
        return index;
    }

    /**
     * Closes the gaps, puts everything into the order of cookies and gives back room that is not
     * needed.
     */
    private void pack() {
        @Nullable Entry[] packed = new @Nullable Entry[count + count / 4 + 2];
        int n = 0;
        for (int i = 0; i < end; i++) {
            if (order[i] != null) {
                packed[n++] = order[i];
            }
        }
        if (!sorted) {
            Arrays.sort(
                    packed,
                    0,
                    n,
                    Comparator.comparingLong(e -> e == null ? Long.MAX_VALUE : e.cookie));
            sorted = true;
        }
        order = packed;
        end = n;
        if (end > UNINDEXED_MAX) {
            reindex();
        } else {
            index = null;
        }
    }

    private void reindex() {
        int slots = 16;
        while (slots * 2 < count * 3 + 8) { // at most two thirds full, with room for some more
            slots *= 2;
        }
        int[] table = new int[slots];
        indexUsed = 0;
        for (int i = 0; i < end; i++) {
            Entry entry = order[i];
            if (entry != null) {
                int slot = hash(entry.name) & (slots - 1);
                while (table[slot] != 0) {
                    slot = (slot + 1) & (slots - 1);
                }
                table[slot] = i + 1;
                indexUsed++;
            }
        }
        index = table;
    }

    static int hash(byte[] name) {
        long hash = name.length * 0x9E3779B97F4A7C15L;
        int i = 0;
        for (; i + 8 <= name.length; i += 8) {
            hash = (hash ^ (long) LONGS.get(name, i)) * 0xD6E8FEB86659FD93L;
            hash ^= hash >>> 32;
        }
        long rest = 0;
        for (; i < name.length; i++) {
            rest = rest << 8 | (name[i] & 0xff);
        }
        hash = (hash ^ rest) * 0xD6E8FEB86659FD93L;
        hash ^= hash >>> 32;
        hash *= 0xD6E8FEB86659FD93L;
        return (int) (hash ^ (hash >>> 32));
    }
}
