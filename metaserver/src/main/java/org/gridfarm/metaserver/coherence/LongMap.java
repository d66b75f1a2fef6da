package org.gridfarm.metaserver.coherence;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A hash table from non-zero longs to objects, with linear probing: no boxes, no entry objects.
 * Owned by one thread. Iterate only between changes.
 */
public final class LongMap<V> {
    private static final int SLOTS_MIN = 16;

    private long[] keys = new long[SLOTS_MIN];
    private @Nullable Object[] values = new @Nullable Object[SLOTS_MIN];
    private int size;

    /** Takes each entry. */
    public interface Visitor<V> {
        void visit(long key, V value);
    }

    public int size() {
        return size;
    }

    @SuppressWarnings("unchecked")
    public @Nullable V get(long key) {
        return (V) values[find(key)];
    }

    /** Returns the former value. */
    @SuppressWarnings("unchecked")
    public @Nullable V put(long key, V value) {
        if (key == 0) throw new IllegalArgumentException("key 0 is reserved");
        int slot = find(key);
        V former = (V) values[slot];
        keys[slot] = key;
        values[slot] = value;
        if (former == null && ++size * 2 > keys.length) {
            grow();
        }
        return former;
    }

    /** Returns the value removed. */
    @SuppressWarnings("unchecked")
    public @Nullable V remove(long key) {
        int hole = find(key);
        V former = (V) values[hole];
        if (former == null) return null;
        size--;
        int mask = keys.length - 1;
        // Close the gap, so that probing never needs tombstones.
        for (int next = (hole + 1) & mask; keys[next] != 0; next = (next + 1) & mask) {
            int home = slotOf(keys[next], mask);
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                keys[hole] = keys[next];
                values[hole] = values[next];
                hole = next;
            }
        }
        keys[hole] = 0;
        values[hole] = null;
        return former;
    }

    public void clear() {
        keys = new long[SLOTS_MIN];
        values = new @Nullable Object[SLOTS_MIN];
        size = 0;
    }

    @SuppressWarnings("unchecked")
    public void forEach(Visitor<V> visitor) {
        for (int i = 0; i < keys.length; i++) {
            Object value = values[i];
            if (value != null) visitor.visit(keys[i], (V) value);
        }
    }

    /** The keys now in the table. */
    public long[] keys() {
        long[] found = new long[size];
        int n = 0;
        for (int i = 0; i < keys.length; i++) {
            if (values[i] != null) found[n++] = keys[i];
        }
        return n == found.length ? found : Arrays.copyOf(found, n);
    }

    private int find(long key) {
        int mask = keys.length - 1;
        int slot = slotOf(key, mask);
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int slotOf(long key, int mask) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        return (int) (mixed ^ (mixed >>> 32)) & mask;
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new @Nullable Object[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int slot = find(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }
}
