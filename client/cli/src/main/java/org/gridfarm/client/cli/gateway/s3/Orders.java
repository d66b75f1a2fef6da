package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.core.FileInfo;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * The names of large directories in the order of keys, for whoever goes through one page by page:
 * the farm lists in another order, and would have to list all of it for each page. Good as long as
 * the directory has the version that it had; each account has its own, since what may be listed is
 * the metaserver's to say. Thread-safe.
 */
final class Orders {
    /** A smaller directory is listed in a few calls. */
    static final int NAMES_MIN = 2_000;

    /** Of the heap: for those that are known, and as much for one that is being learnt. */
    private static final int SHARE = 8;

    private static final int BYTES_NAME = 32; // array header, padding, reference

    private final long bytesMax;
    private final Semaphore learners = new Semaphore(1);
    private final Map<Of, Order> known = new LinkedHashMap<>(16, 0.75f, true); // guarded by this
    private long bytes; // guarded by this

    private record Of(String account, long inode) {}

    Orders(long heapBytes) {
        bytesMax = heapBytes / SHARE;
    }

    /**
     * Sorted.
     *
     * @param keys as keys go on: of a directory with a slash at the end
     */
    static final class Order {
        private final long version;
        private final byte[][] keys;
        private final long bytes;

        private Order(long version, byte[][] keys, long bytes) {
            this.version = version;
            this.keys = keys;
            this.bytes = bytes;
        }

        int size() {
            return keys.length;
        }

        byte[] key(int at) {
            return keys[at];
        }

        int firstNotBefore(byte[] key) {
            int found = Arrays.binarySearch(keys, key, Arrays::compareUnsigned);
            return found < 0 ? -found - 1 : found;
        }
    }

    /** Null: not known, or not any more. */
    synchronized @Nullable Order known(String account, FileInfo directory) {
        Of of = new Of(account, directory.inode());
        Order order = known.get(of);
        if (order == null || order.version == directory.attributes().getVersion()) return order;
        known.remove(of);
        bytes -= order.bytes;
        return null;
    }

    private synchronized void keep(Of of, Order order) {
        Order before = known.put(of, order);
        bytes += order.bytes - (before == null ? 0 : before.bytes);
        var eldest = known.values().iterator();
        while (bytes > bytesMax) {
            bytes -= eldest.next().bytes;
            eldest.remove();
        }
    }

    Lesson learn(String account, FileInfo directory) {
        return new Lesson(account, directory, learners.tryAcquire());
    }

    /** Names as they are listed. For one thread, which closes it. */
    final class Lesson implements AutoCloseable {
        private final Of of;
        private final long version;
        private final boolean isTurn;
        private List<byte[]> names = new ArrayList<>();
        private long size;

        private Lesson(String account, FileInfo directory, boolean isTurn) {
            of = new Of(account, directory.inode());
            version = directory.attributes().getVersion();
            this.isTurn = isTurn;
        }

        void add(byte[] key) {
            if (!isTurn || size > bytesMax) return;
            size += BYTES_NAME + key.length;
            if (size > bytesMax) names = List.of(); // no room: the next page lists all again
            else names.add(key);
        }

        /** All were added, and the directory looks so now. */
        void ends(FileInfo now) {
            if (names.size() < NAMES_MIN || now.attributes().getVersion() != version) return;
            byte[][] keys = names.toArray(byte[][]::new);
            Arrays.sort(keys, Arrays::compareUnsigned);
            keep(of, new Order(version, keys, size));
        }

        @Override
        public void close() {
            if (isTurn) learners.release();
        }
    }
}
