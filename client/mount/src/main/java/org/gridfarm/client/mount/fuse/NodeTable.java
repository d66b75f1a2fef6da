package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.LongFunction;

/// What the kernel holds: for each node number how many lookups it was given, and what the file
/// system keeps with it.
///
/// Open addressing in primitive arrays, so that ten million nodes cost two longs and a reference
/// each and a lookup makes no garbage. Thread-safe: split into shards, each under its own lock,
/// none held while calling out except for the making of a payload.
public final class NodeTable<N> {

    private static final int SHARDS = 16;

    private final Shard<N>[] shards;

    public NodeTable() {
        @SuppressWarnings("unchecked") // an array of a generic type cannot be made otherwise
        Shard<N>[] made = (Shard<N>[]) new Shard<?>[SHARDS];
        for (int i = 0; i < SHARDS; i++) {
            made[i] = new Shard<>();
        }
        shards = made;
    }

    /// The payload of a node the kernel holds; null for any other.
    public @Nullable N get(long node) {
        return shard(node).get(node);
    }

    /// Counts one more lookup, making the payload with the first. Call before answering; if the
    /// answer is not received, [#forget] one.
    public N hold(long node, LongFunction<N> make) {
        return shard(node).hold(node, make);
    }

    /// Takes lookups back.
    ///
    /// @return the payload when these were the last, else null; null too for an unknown node
    public @Nullable N forget(long node, long lookups) {
        return shard(node).forget(node, lookups);
    }

    /// Nodes held now.
    public long size() {
        long sum = 0;
        for (Shard<N> shard : shards) {
            sum += shard.size();
        }
        return sum;
    }

    private Shard<N> shard(long node) {
        return shards[(int) (mix(node) >>> 60)];
    }

    private static long mix(long node) {
        long h = node * 0x9E3779B97F4A7C15L;
        return h ^ (h >>> 29);
    }

    private static final class Shard<N> {

        private static final int SLOTS_MIN = 16;

        private long[] nodes = new long[SLOTS_MIN];
        private long[] lookups = new long[SLOTS_MIN]; // 0: the slot is empty
        private @Nullable Object[] payloads = new Object[SLOTS_MIN];
        private int size;

        synchronized @Nullable N get(long node) {
            int slot = find(node);
            return lookups[slot] == 0 ? null : payload(slot);
        }

        synchronized N hold(long node, LongFunction<N> make) {
            int slot = find(node);
            if (lookups[slot] != 0) {
                lookups[slot]++;
                return Objects.requireNonNull(payload(slot));
            }
            N made = make.apply(node);
            nodes[slot] = node;
            lookups[slot] = 1;
            payloads[slot] = made;
            size++;
            if (size * 2 > nodes.length) {
                resize(nodes.length * 2);
            }
            return made;
        }

        synchronized @Nullable N forget(long node, long count) {
            int slot = find(node);
            if (lookups[slot] == 0) {
                return null;
            }
            lookups[slot] -= count;
            if (lookups[slot] > 0) {
                return null;
            }
            N last = payload(slot);
            remove(slot);
            if (nodes.length > SLOTS_MIN && size * 8 < nodes.length) {
                resize(nodes.length / 2);
            }
            return last;
        }

        synchronized int size() {
            return size;
        }

        @SuppressWarnings("unchecked") // payloads holds nothing but N
        private @Nullable N payload(int slot) {
            return (N) payloads[slot];
        }

        private int find(long node) {
            int mask = nodes.length - 1;
            int slot = (int) mix(node) & mask;
            while (lookups[slot] != 0 && nodes[slot] != node) {
                slot = (slot + 1) & mask;
            }
            return slot;
        }

        /// Closes the gap, so that probing needs no tombstones (Knuth 6.4, algorithm R).
        private void remove(int slot) {
            int mask = nodes.length - 1;
            int gap = slot;
            int next = (gap + 1) & mask;
            while (lookups[next] != 0) {
                int home = (int) mix(nodes[next]) & mask;
                if (((next - home) & mask) >= ((next - gap) & mask)) {
                    nodes[gap] = nodes[next];
                    lookups[gap] = lookups[next];
                    payloads[gap] = payloads[next];
                    gap = next;
                }
                next = (next + 1) & mask;
            }
            lookups[gap] = 0;
            payloads[gap] = null;
            size--;
        }

        private void resize(int slots) {
            long[] oldNodes = nodes;
            long[] oldLookups = lookups;
            @Nullable Object[] oldPayloads = payloads;
            nodes = new long[slots];
            lookups = new long[slots];
            payloads = new Object[slots];
            for (int i = 0; i < oldNodes.length; i++) {
                if (oldLookups[i] != 0) {
                    int slot = find(oldNodes[i]);
                    nodes[slot] = oldNodes[i];
                    lookups[slot] = oldLookups[i];
                    payloads[slot] = oldPayloads[i];
                }
            }
        }
    }
}
