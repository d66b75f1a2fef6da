package org.gridfarm.client.core.nio.watch;

import org.gridfarm.protocol.name.Name;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A directory as somebody watches it: the events that he has not taken yet. Thread-safe. */
final class FarmWatchKey implements WatchKey {
    /** Of more the watcher is told OVERFLOW instead. */
    private static final int EVENTS_MAX = 512;

    private final FarmWatchService service;
    private final Path path;
    private final WatchedDirectory directory;

    // All guarded by this.
    private Set<WatchEvent.Kind<?>> kinds;
    private List<Event<?>> events = new ArrayList<>();
    private boolean signalled;
    private boolean valid = true;

    private record Event<T>(WatchEvent.Kind<T> kind, int count, @Nullable T context)
            implements WatchEvent<T> {
        Event<T> again() {
            return new Event<>(kind, count + 1, context);
        }

        boolean isOf(WatchEvent.Kind<?> other, @Nullable Object what) {
            return kind == other && (what == null ? context == null : what.equals(context));
        }
    }

    FarmWatchKey(FarmWatchService service, Path path, WatchedDirectory directory) {
        this.service = service;
        this.path = path;
        this.directory = directory;
        kinds = Set.of();
    }

    WatchedDirectory directory() {
        return directory;
    }

    synchronized void wants(Set<WatchEvent.Kind<?>> wanted) {
        kinds = wanted;
    }

    synchronized void tell(List<Difference> found) {
        if (!valid) {
            return;
        }
        for (Difference each : found) {
            if (kinds.contains(each.kind())) {
                add(each.kind(), context(each.name()));
            }
        }
        if (!events.isEmpty()) {
            signal();
        }
    }

    private Path context(Name name) {
        return path.getFileSystem().getPath(name.toString());
    }

    private void add(WatchEvent.Kind<Path> kind, Path context) {
        int last = events.size() - 1;
        if (last >= 0 && events.get(last).isOf(kind, context)) {
            events.set(last, events.get(last).again());
        } else if (last == 0 && events.get(0).isOf(StandardWatchEventKinds.OVERFLOW, null)) {
            events.set(0, events.get(0).again());
        } else if (events.size() >= EVENTS_MAX) {
            events.clear();
            events.add(new Event<>(StandardWatchEventKinds.OVERFLOW, 1, null));
        } else {
            events.add(new Event<>(kind, 1, context));
        }
    }

    private void signal() {
        if (!signalled) {
            signalled = true;
            service.signalled(this);
        }
    }

    /** There is nothing to be watched any more, which whoever waits for the key is told. */
    synchronized void ends(boolean told) {
        valid = false;
        if (told) {
            signal();
        }
    }

    @Override
    public synchronized boolean isValid() {
        return valid;
    }

    @Override
    public synchronized List<WatchEvent<?>> pollEvents() {
        List<WatchEvent<?>> taken = new ArrayList<>(events);
        events = new ArrayList<>();
        return taken;
    }

    @Override
    public synchronized boolean reset() {
        if (signalled && valid) {
            signalled = false;
            if (!events.isEmpty()) {
                signal();
            }
        }
        return valid;
    }

    @Override
    public void cancel() {
        service.cancelled(this);
        ends(false);
    }

    @Override
    public Path watchable() {
        return path;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
