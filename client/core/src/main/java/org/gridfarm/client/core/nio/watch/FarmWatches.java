package org.gridfarm.client.core.nio.watch;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;

import java.nio.file.WatchService;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All watch services of one client: hears of recalls and of the client's own changes, and passes
 * them on. Thread-safe.
 */
public final class FarmWatches implements AutoCloseable {
    private final Metadata metadata;
    private final List<FarmWatchService> services = new CopyOnWriteArrayList<>();
    private boolean hears; // guarded by this

    public FarmWatches(Metadata metadata) {
        this.metadata = metadata;
    }

    Metadata metadata() {
        return metadata;
    }

    /** A new one; whoever watches nothing pays nothing for it. */
    public synchronized WatchService open() {
        if (!hears) {
            hears = true;
            metadata.onRecall(this::recalled);
            metadata.onChange(this::changed);
        }
        FarmWatchService service = new FarmWatchService(this);
        services.add(service);
        return service;
    }

    private CompletionStage<Void> recalled(RecallRequest recall, List<RecalledDirectory> changed) {
        services.forEach(service -> service.recalled(recall));
        return CompletableFuture.completedFuture(null);
    }

    private void changed(long[] inodes, long[] directories) {
        List<Long> all = Arrays.stream(inodes).boxed().toList();
        services.forEach(service -> service.changed(all, directories));
    }

    void closed(FarmWatchService service) {
        services.remove(service);
    }

    @Override
    public void close() {
        services.forEach(FarmWatchService::close);
    }
}
