package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The proxy by which a task acts as its user at the farm: a file that is there before the task
 * starts, is replaced at once while it runs, and goes when it has ended. Thread-safe.
 */
final class TaskProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskProxy.class);
    private static final String VARIABLE = "X509_USER_PROXY"; // as grid tools know it

    private final ProxyDirectory directory;

    @GuardedBy("this")
    private ByteString text; // emptied as soon as it is in the file

    @GuardedBy("this")
    private @Nullable Path file;

    @GuardedBy("this")
    private @Nullable TaskUser user;

    /**
     * @param text PEM; empty: the task has none unless one comes later
     */
    TaskProxy(ProxyDirectory directory, ByteString text) {
        this.directory = directory;
        this.text = text;
    }

    /** What adds to the task's environment; the file is there when this returns. */
    synchronized Map<String, String> place(TaskUser of) throws IOException {
        if (text.isEmpty()) {
            return Map.of();
        }
        Path made = directory.make(of, text);
        file = made;
        user = of;
        text = ByteString.EMPTY;
        return Map.of(VARIABLE, made.toString());
    }

    /** Another proxy from now on; a task that has none, or has ended, goes on without. */
    synchronized void renew(ByteString with) throws IOException {
        Path made = file;
        TaskUser of = user;
        if (made != null && of != null) {
            directory.replace(made, of, with);
        } else if (!text.isEmpty()) {
            text = with; // it is just about to start
        }
    }

    /** The task has ended. */
    @Override
    public synchronized void close() {
        Path made = file;
        file = null;
        text = ByteString.EMPTY;
        if (made != null) {
            try {
                Files.deleteIfExists(made);
            } catch (IOException e) {
                LOG.warn("the proxy of an ended task is left in {}: {}", made, e.toString());
            }
        }
    }
}
