package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.GridfarmBuilder;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One session for all file systems of this JVM that mean the same farm: Hadoop makes a FileSystem
 * for each user, and another beside it for FileContext. Thread-safe.
 */
final class Connections {
    private record Key(Optional<String> config, Optional<String> node, Optional<Long> timeout) {}

    private static final class Shared {
        private final Gridfarm farm;
        private int users = 1;

        Shared(Gridfarm farm) {
            this.farm = farm;
        }
    }

    /** After Hadoop has closed its file systems: those of FileContext are never closed. */
    private static final int LAST = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

    private static final Map<Key, Shared> OPEN = new HashMap<>(); // guarded by this class

    static {
        ShutdownHookManager.get().addShutdownHook(Connections::closeAll, LAST);
    }

    /** Of one file system; to be closed once. */
    static final class Lease {
        private final Key key;
        private final Gridfarm farm;
        private boolean closed;

        private Lease(Key key, Gridfarm farm) {
            this.key = key;
            this.farm = farm;
        }

        Gridfarm farm() {
            return farm;
        }

        synchronized void close() {
            if (!closed) {
                closed = true;
                giveUp(key);
            }
        }
    }

    private Connections() {}

    static Lease take(Settings settings) throws IOException {
        Key key =
                new Key(
                        settings.text(Settings.CONFIG),
                        settings.text(Settings.NODE),
                        settings.timeout());
        synchronized (Connections.class) {
            Shared there = OPEN.get(key);
            if (there == null) {
                there = new Shared(connect(key));
                OPEN.put(key, there);
            } else {
                there.users++;
            }
            return new Lease(key, there.farm);
        }
    }

    private static Gridfarm connect(Key key) throws IOException {
        GridfarmBuilder builder =
                Gridfarm.builder().clientName("hadoop@" + ProcessHandle.current().pid());
        key.config.ifPresent(file -> builder.configuration(Path.of(file)));
        key.node.ifPresent(builder::node);
        key.timeout.ifPresent(millis -> builder.timeout(Duration.ofMillis(millis)));
        try {
            return builder.connect();
        } catch (FarmException e) {
            throw Failures.of(e);
        }
    }

    private static synchronized void closeAll() {
        OPEN.values().forEach(shared -> shared.farm.close());
        OPEN.clear();
    }

    private static void giveUp(Key key) {
        Gridfarm unused = null;
        synchronized (Connections.class) {
            Shared shared = OPEN.get(key);
            if (shared != null && --shared.users == 0) {
                OPEN.remove(key);
                unused = shared.farm;
            }
        }
        if (unused != null) {
            unused.close();
        }
    }
}
