package org.gridfarm.storagenode.control;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.StoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** What went bad here and the metaserver has not yet been told. Thread-safe. */
public final class Findings implements StoreListener {
    private static final Logger LOG = LoggerFactory.getLogger(Findings.class);

    private final NodeCounters counters;

    @GuardedBy("this")
    private final Set<ObjectKey> corrupt = new LinkedHashSet<>();

    private final AtomicInteger disksLost = new AtomicInteger();

    public Findings(NodeCounters counters) {
        this.counters = counters;
    }

    @Override
    public void corrupt(ObjectKey key, String why) {
        LOG.warn("replica {} is in quarantine: {}", key, why);
        counters.badBlocks.increment();
        synchronized (this) {
            corrupt.add(key);
        }
    }

    /** All that was on it is gone: the metaserver is shown the whole holding again. */
    @Override
    public void diskFailed(String disk) {
        disksLost.incrementAndGet();
    }

    /** At most so many, which stay noted until {@link #told}. */
    synchronized List<ObjectKey> corrupt(int max) {
        return new ArrayList<>(corrupt.stream().limit(max).toList());
    }

    synchronized void told(List<ObjectKey> keys) {
        keys.forEach(corrupt::remove);
    }

    /** Since the start. */
    int disksLost() {
        return disksLost.get();
    }
}
