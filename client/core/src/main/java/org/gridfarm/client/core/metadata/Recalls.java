package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.cache.LeasedCache;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes recalls from servers: out of the cache first, then out of whatever the listeners keep.
 * Thread-safe.
 */
final class Recalls {
    private static final Logger log = LoggerFactory.getLogger(Recalls.class);
    private static final RecallRequest EVERYTHING = RecallRequest.newBuilder().setAll(true).build();

    private final LeasedCache cache;
    private final List<RecallListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong stamp = new AtomicLong();

    Recalls(LeasedCache cache) {
        this.cache = cache;
    }

    long stamp() {
        return stamp.get();
    }

    void add(RecallListener listener) {
        listeners.add(listener);
    }

    /** Completes, never exceptionally, when everything named is gone everywhere. */
    CompletableFuture<Void> recall(RecallRequest recall) {
        stamp.incrementAndGet();
        if (recall.getAll()) {
            cache.clear();
        }
        for (RecalledDirectory directory : recall.getDirectoriesList()) {
            cache.recallContent(directory.getInode());
        }
        for (int i = 0; i < recall.getAttributesCount(); i++) {
            cache.recallAttributes(recall.getAttributes(i));
        }
        return CompletableFuture.allOf(
                listeners.stream()
                        .map(listener -> tell(listener, recall))
                        .toArray(CompletableFuture<?>[]::new));
    }

    private static CompletableFuture<Void> tell(RecallListener listener, RecallRequest recall) {
        CompletableFuture<Void> told;
        try {
            told = listener.recalled(recall).toCompletableFuture();
        } catch (RuntimeException e) {
            told = CompletableFuture.failedFuture(e);
        }
        return told.exceptionally(thrown -> {
            log.error("a recall was not carried out", thrown);
            return null;
        });
    }

    /** The lease is gone: nobody waits for the listeners, but nothing kept before may be used. */
    CompletableFuture<Void> everything() {
        return recall(EVERYTHING);
    }
}
