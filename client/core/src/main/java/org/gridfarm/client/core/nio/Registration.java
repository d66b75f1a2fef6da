package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.nio.watch.FarmWatchService;

import java.nio.file.NotDirectoryException;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** What somebody wants to be told of a directory. */
final class Registration {
    /** How soon a poller polls: nothing is polled here. It is no class of Java SE. */
    private static final String SENSITIVITY = "com.sun.nio.file.SensitivityWatchEventModifier";

    private final FarmNioPath path;
    private final Set<WatchEvent.Kind<?>> kinds = new HashSet<>();

    /** Refuses with UnsupportedOperationException what cannot be told, and nothing at all. */
    Registration(FarmNioPath path, WatchEvent.Kind<?>[] events, WatchEvent.Modifier[] modifiers) {
        this.path = path;
        for (WatchEvent.Kind<?> kind : events) {
            Objects.requireNonNull(kind);
            if (kind == StandardWatchEventKinds.ENTRY_CREATE
                    || kind == StandardWatchEventKinds.ENTRY_DELETE
                    || kind == StandardWatchEventKinds.ENTRY_MODIFY) {
                kinds.add(kind);
            } else if (kind != StandardWatchEventKinds.OVERFLOW) {
                throw new UnsupportedOperationException("events of kind " + kind.name());
            }
        }
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException("no events to register");
        }
        for (WatchEvent.Modifier modifier : modifiers) {
            if (!modifier.getClass().getName().equals(SENSITIVITY)) {
                throw new UnsupportedOperationException("modifier " + modifier.name());
            }
        }
    }

    WatchKey at(WatchService watcher) throws NotDirectoryException {
        if (!(Objects.requireNonNull(watcher) instanceof FarmWatchService service)
                || !service.isOf(path.getFileSystem().watches())) {
            throw new ProviderMismatchException("the watcher is not of this farm");
        }
        FileInfo found = path.farm().stat(path.farmPath());
        if (!found.isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
        return service.register(path, found.inode(), kinds);
    }
}
