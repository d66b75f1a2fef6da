package org.gridfarm.client.core.nio.watch;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;

/**
 * Watches directories of one farm. Thread-safe; its own lock is never held over a call of the farm
 * nor over that of a key.
 */
public final class FarmWatchService implements WatchService {
    private static final Logger log = LoggerFactory.getLogger(FarmWatchService.class);

    private final FarmWatches watches;
    private final Map<Long, FarmWatchKey> keys = new HashMap<>(); // by directory; guarded by this
    private boolean closed; // guarded by this
    private final Thread thread;

    /** Keys with events; empty: the service is closed. */
    private final BlockingDeque<Optional<FarmWatchKey>> ready = new LinkedBlockingDeque<>();

    FarmWatchService(FarmWatches watches) {
        this.watches = watches;
        thread = new Thread(this::run, "gf-watch");
        thread.setDaemon(true);
        thread.start();
    }

    public boolean isOf(FarmWatches others) {
        return watches == others;
    }

    /**
     * The key of the directory, the same as before where it is watched already.
     *
     * @param kinds of StandardWatchEventKinds
     * @throws FarmException where the directory cannot be listed
     */
    public WatchKey register(Path path, long inode, Set<WatchEvent.Kind<?>> kinds) {
        while (true) {
            FarmWatchKey key;
            synchronized (this) {
                requireOpen();
                // Known, and so marked, before it is listed: what changes meanwhile is looked at.
                key = keys.computeIfAbsent(inode, number -> made(path, number));
            }
            key.wants(kinds);
            try {
                key.directory().begin();
            } catch (FarmException e) {
                cancelled(key);
                throw e.about("watch", path.toString());
            }
            synchronized (this) {
                if (keys.get(inode) == key) {
                    notifyAll();
                    return key;
                }
            }
        }
    }

    private FarmWatchKey made(Path path, long inode) {
        return new FarmWatchKey(this, path, new WatchedDirectory(watches.metadata(), inode));
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedWatchServiceException();
        }
    }

    void cancelled(FarmWatchKey key) {
        synchronized (this) {
            keys.remove(key.directory().inode(), key);
        }
    }

    void signalled(FarmWatchKey key) {
        ready.add(Optional.of(key));
    }

    // ---- what is heard, on network threads

    void recalled(RecallRequest recall) {
        for (FarmWatchKey key : all()) {
            if (recall.getAll()) {
                key.directory().markAll();
            }
            key.directory().mark(recall.getAttributesList());
        }
        for (RecalledDirectory directory : recall.getDirectoriesList()) {
            changed(directory.getInode());
        }
        wake();
    }

    void changed(List<Long> inodes, long[] directories) {
        all().forEach(key -> key.directory().mark(inodes));
        for (long directory : directories) {
            changed(directory);
        }
        wake();
    }

    private void changed(long directory) {
        FarmWatchKey key;
        synchronized (this) {
            key = keys.get(directory);
        }
        if (key != null) {
            key.directory().markAll();
        }
    }

    private synchronized List<FarmWatchKey> all() {
        return List.copyOf(keys.values());
    }

    private synchronized void wake() {
        notifyAll();
    }

    // ---- the thread that looks

    private void run() {
        try {
            for (FarmWatchKey next = due(); next != null; next = due()) {
                look(next);
            }
        } catch (InterruptedException e) {
            log.debug("no watching any more", e);
        }
    }

    /** The next key whose directory is to be looked at; null: the service is closed. */
    private synchronized @Nullable FarmWatchKey due() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            long least = Long.MAX_VALUE;
            for (FarmWatchKey key : keys.values()) {
                long wait = key.directory().dueIn(now);
                if (wait == 0) {
                    return key;
                }
                least = Math.min(least, wait);
            }
            if (least == Long.MAX_VALUE) {
                wait();
            } else {
                TimeUnit.NANOSECONDS.timedWait(this, least);
            }
        }
        return null;
    }

    private void look(FarmWatchKey key) {
        try {
            key.tell(key.directory().look());
        } catch (FarmException e) {
            if (isGone(e.kind())) {
                cancelled(key);
                key.tell(key.directory().leave());
                key.ends(true);
            } else {
                log.debug("{} is looked at later: {}", key, e.getMessage());
                key.directory().lookLater();
            }
        }
    }

    /** There is no directory, or none for this user. */
    private static boolean isGone(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND, STALE, NOT_A_DIRECTORY, ACCESS_DENIED, NOT_PERMITTED -> true;
            default -> false;
        };
    }

    // ---- whoever waits

    @Override
    public @Nullable WatchKey poll() {
        return taken(ready.poll());
    }

    @Override
    public @Nullable WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        return taken(ready.poll(timeout, unit));
    }

    @Override
    public WatchKey take() throws InterruptedException {
        WatchKey key = taken(ready.take());
        if (key == null) {
            throw new ClosedWatchServiceException();
        }
        return key;
    }

    private @Nullable WatchKey taken(@Nullable Optional<FarmWatchKey> next) {
        boolean over;
        synchronized (this) {
            over = closed;
        }
        if (over) {
            if (next != null) {
                ready.add(Optional.empty()); // for the next who waits
            }
            throw new ClosedWatchServiceException();
        }
        return next == null ? null : next.orElse(null);
    }

    @Override
    public void close() {
        List<FarmWatchKey> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(keys.values());
            keys.clear();
            notifyAll();
        }
        watches.closed(this);
        left.forEach(key -> key.ends(false));
        ready.clear();
        ready.add(Optional.empty());
        thread.interrupt();
    }
}
