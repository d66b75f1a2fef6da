package org.gridfarm.protocol.rpc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What follows the end of a connection, each once. Thread-safe. */
final class AfterClosing {
    private static final Logger log = LoggerFactory.getLogger(AfterClosing.class);

    private final Map<Object, Runnable> actions = new ConcurrentHashMap<>();
    private final Object of;
    private volatile boolean closed;

    /**
     * @param of names the connection in the log
     */
    AfterClosing(Object of) {
        this.of = of;
    }

    /**
     * At once where the end has come.
     *
     * @return takes the action back
     */
    Runnable add(Runnable action) {
        Object key = new Object();
        actions.put(key, action);
        if (closed) run(key);
        return () -> actions.remove(key);
    }

    /** The end has come. */
    void run() {
        closed = true;
        actions.keySet().forEach(this::run);
    }

    private void run(Object key) {
        Runnable action = actions.remove(key);
        if (action == null) return;
        try {
            action.run();
        } catch (RuntimeException e) {
            log.error("{}: what followed its end failed", of, e); // others are told all the same
        }
    }
}
