package org.gridfarm.client.mount.fuse;

/// Remembers which nodes were recalled lately, so that an answer built before a recall and sent
/// after it is not believed.
///
/// A request notes [#now] when it begins; when it is answered, [#recalledSince] says for its node
/// whether a recall came between. The ring holds the last [#RING] recalled nodes; a request older
/// than all of them is taken as recalled, which costs one more lookup. Thread-safe; the common case
/// (nothing recalled since) is one volatile read.
public final class RecallLog {

    static final int RING = 1024;

    private final long[] nodes = new long[RING];
    private volatile long count;

    public long now() {
        return count;
    }

    public synchronized void recalled(long node) {
        nodes[(int) (count % RING)] = node;
        count = count + 1; // only writers under the lock
    }

    public synchronized void everythingRecalled() {
        count = count + RING + 1; // every mark is older than the ring
    }

    /// @param mark what [#now] gave
    public boolean recalledSince(long mark, long node) {
        return count != mark && search(mark, node);
    }

    private synchronized boolean search(long mark, long node) {
        if (count - mark > RING) {
            return true;
        }
        for (long i = mark; i < count; i++) {
            if (nodes[(int) (i % RING)] == node) {
                return true;
            }
        }
        return false;
    }
}
