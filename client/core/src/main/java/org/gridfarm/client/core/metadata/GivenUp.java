package org.gridfarm.client.core.metadata;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Handles of open files that go to the leader along with the next change. Thread-safe. */
public interface GivenUp {
    /**
     * What waits, perhaps nothing, and what is only kept of the files that the change concerns; it
     * does not wait any more.
     */
    List<Long> take(long[] concerned);

    /**
     * Completes when no close of these files is under way, or a moment later; null: none is. What
     * the close tells the metaserver must not come after the change.
     */
    @Nullable CompletableFuture<Void> beforeChange(long[] concerned);

    /**
     * A name of the file was taken away, and perhaps the file with it. Completes when nothing of it
     * is only kept, or a moment later.
     */
    CompletableFuture<Void> unnamed(long inode);

    /** Whether the leader heard of them is not known: they wait again. */
    void putBack(List<Long> handles);
}
