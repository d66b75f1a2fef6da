package org.gridfarm.client.mount.fuse;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.Arrays;

/// Nodes whose attributes the kernel was made to forget, and has not been told with a time-out
/// since: there is nothing to take back, and a notice would do harm.
///
/// A notice for a node makes the kernel pass over the answer to what it has just asked about it
/// (Linux 6.18): `stat` shows that answer, but the size by which the kernel itself goes stays the
/// one of before. So a write with `O_APPEND`, or `lseek` to the end, began where the file had ended
/// before another host's last write.
///
/// Remembers as many nodes as it has places; of one that is not remembered a notice is sent.
/// Thread-safe; no garbage.
public final class Unbelieved {

    private static final int PLACES = 1 << 14;

    /// What is known of the last of the nodes that share it.
    private static final class Place {
        @GuardedBy("this")
        private long node;

        @GuardedBy("this")
        private long tells; // of any of them

        synchronized void told(long told) {
            tells++;
            if (node == told) {
                node = 0;
            }
        }

        synchronized boolean has(long asked) {
            return node == asked;
        }

        synchronized long tells() {
            return tells;
        }

        synchronized void forgotten(long forgotten, long mark) {
            if (tells == mark) {
                node = forgotten;
            }
        }
    }

    private final Place[] places = new Place[PLACES];

    public Unbelieved() {
        Arrays.setAll(places, i -> new Place());
    }

    private Place place(long node) {
        return places[(int) ((node * 0x9E3779B97F4A7C15L) >>> 50)];
    }

    /// The kernel is about to be told something of the node that it may believe for a while.
    public void told(long node) {
        place(node).told(node);
    }

    /// The kernel has nothing to forget.
    public boolean has(long node) {
        return place(node).has(node);
    }

    /// For [#forgotten], before the kernel is made to forget.
    public long mark(long node) {
        return place(node).tells();
    }

    /// The kernel has forgotten what it was told before the mark.
    public void forgotten(long node, long mark) {
        place(node).forgotten(node, mark);
    }
}
