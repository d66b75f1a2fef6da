package org.gridfarm.client.core.metadata;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.cache.LeasedCache;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes recalls from servers: out of the cache first, then out of whatever the listeners keep.
 * Thread-safe.
 */
final class Recalls {
    private static final Logger log = LoggerFactory.getLogger(Recalls.class);

    /** More names than this are sooner forgotten with all others of the mount. */
    private static final int NAMES_MAX = 256;

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
        RecallRequest.Builder told = recall.toBuilder().clearDirectories();
        for (RecalledDirectory directory : recall.getDirectoriesList()) {
            told.addDirectories(everyName(directory, told));
        }
        for (int i = 0; i < recall.getAttributesCount(); i++) {
            cache.recallAttributes(recall.getAttributes(i));
        }
        RecallRequest all = told.build();
        return CompletableFuture.allOf(
                listeners.stream()
                        .map(listener -> tell(listener, all, recall.getDirectoriesList()))
                        .toArray(CompletableFuture<?>[]::new));
    }

    /**
     * The server takes back the directory as a whole and will not tell of its other names: so the
     * listeners forget all that they were ever told of it.
     */
    private RecalledDirectory everyName(RecalledDirectory changed, RecallRequest.Builder told) {
        Set<Name> known = cache.recallContent(changed.getInode());
        if (known == null || known.size() > NAMES_MAX) {
            told.setAll(true);
            return changed;
        }
        Set<ByteString> names = new LinkedHashSet<>(changed.getNamesList());
        known.forEach(name -> names.add(Mutations.bytes(name)));
        return changed.toBuilder().clearNames().addAllNames(names).build();
    }

    private static CompletableFuture<Void> tell(
            RecallListener listener, RecallRequest recall, List<RecalledDirectory> changed) {
        CompletableFuture<Void> told;
        try {
            told = listener.recalled(recall, changed).toCompletableFuture();
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
