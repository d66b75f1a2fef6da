package org.gridfarm.storagenode.tasks;

import org.gridfarm.storagenode.disk.ReadOnlyViews;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tasks that want no plain files. */
final class NoLocals {
    private NoLocals() {}

    static TaskLocals of(TaskSettings settings) {
        TaskLocals.Source none =
                new TaskLocals.Source(
                        (_, _, _) ->
                                CompletableFuture.failedFuture(new IllegalStateException("none")),
                        ReadOnlyViews.NONE,
                        settings.scratch(),
                        settings.spool());
        return new TaskLocals(none, Optional.empty(), List.of());
    }
}
