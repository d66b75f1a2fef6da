package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that the kernel has given up and that may still be written: a mapping outlives the
 * descriptor it was made with, belongs to the plain file, and nobody tells of its end. So the plain
 * file itself is asked, now and again, and the file stays open at the servers until nobody has it
 * open for writing any more. Thread-safe.
 */
final class Mappings {
    private static final Logger log = LoggerFactory.getLogger(Mappings.class);

    /**
     * The kernel tells of the end before it has let go of the plain file; whoever opens the file
     * again waits for that.
     */
    private static final Duration FIRST_LOOK = Duration.ofNanos(100_000);

    private static final Duration LOOKS_MAX = Duration.ofMillis(500);

    /**
     * Of one inode, those through which the kernel writes.
     *
     * @param mappable one of them was, since there was none: to be mapped for writing a file must
     *     be open for reading, too
     */
    private record Writers(int open, boolean mappable) {
        Writers and(Writers more) {
            return new Writers(open + more.open, mappable || more.mappable);
        }

        Writers oneLess() {
            return new Writers(open - 1, mappable);
        }
    }

    private final Clock clock;
    private final Map<Long, Writers> writers = new ConcurrentHashMap<>();
    private final Set<CompletableFuture<Void>> awaited = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Passthrough kernel;
    private volatile boolean ended;

    Mappings(Clock clock) {
        this.clock = clock;
    }

    void started(Passthrough passthrough) {
        kernel = passthrough;
    }

    void opened(OpenFile file) {
        if (file.kernelWrites()) {
            boolean mappable = file.handle().flags().read();
            writers.merge(file.handle().inode(), new Writers(1, mappable), Writers::and);
        }
    }

    /** Completes when nobody can write into the file through what the kernel has given up. */
    CompletableFuture<Void> over(OpenFile file) {
        if (!file.kernelWrites() || !wasLastMappable(file.handle().inode())) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        look(file, FIRST_LOOK, over);
        if (!over.isDone()) {
            awaited.add(over);
            over.thenRun(() -> awaited.remove(over));
            if (ended) {
                over.complete(null);
            }
        }
        return over;
    }

    private boolean wasLastMappable(long inode) {
        Writers[] left = new Writers[1];
        writers.computeIfPresent(
                inode,
                (_, before) -> {
                    left[0] = before.oneLess();
                    return left[0].open == 0 ? null : left[0];
                });
        return left[0] != null && left[0].open == 0 && left[0].mappable;
    }

    private void look(OpenFile file, Duration pause, CompletableFuture<Void> over) {
        if (over.isDone()) {
            return;
        }
        file.handle()
                .idleLocally()
                .thenCompose(path -> isWritten(file, path))
                .exceptionally(Mappings::notTold)
                .thenAccept(written -> {
                    if (written) {
                        lookAgain(file, pause, over);
                    } else {
                        over.complete(null);
                    }
                });
    }

    private void lookAgain(OpenFile file, Duration pause, CompletableFuture<Void> over) {
        Duration twice = pause.multipliedBy(2);
        Duration next = twice.compareTo(LOOKS_MAX) < 0 ? twice : LOOKS_MAX;
        clock.after(pause, () -> look(file, next, over));
    }

    /**
     * @param path where it lay just now
     */
    private CompletableFuture<Boolean> isWritten(OpenFile file, @Nullable Path path) {
        Passthrough passthrough = kernel;
        if (passthrough == null || path == null) {
            return CompletableFuture.completedFuture(false);
        }
        // A staged file that is made a replica just now has another name when it is asked.
        return passthrough.isOpenForWriting(path)
                ? CompletableFuture.completedFuture(true)
                : file.handle().idleLocally().thenApply(now -> !path.equals(now));
    }

    private static boolean notTold(Throwable thrown) {
        log.warn(
                "whether it is mapped cannot be told: {}",
                FarmException.of(thrown, "close", "").getMessage());
        return false;
    }

    /** The mount ends: nobody is waited for any more. */
    void end() {
        ended = true;
        awaited.forEach(over -> over.complete(null));
    }
}
