package org.gridfarm.client.cli.sync;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What was done, or would be. Thread-safe. */
public final class Report {
    private final Consumer<String> lines;

    @GuardedBy("this")
    private long copied;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private long same;

    @GuardedBy("this")
    private long changed;

    @GuardedBy("this")
    private long removed;

    /**
     * @param lines takes a line for each change
     */
    public Report(Consumer<String> lines) {
        this.lines = lines;
    }

    synchronized void copied(String to, long length) {
        copied++;
        bytes += length;
        lines.accept("copy " + to);
    }

    synchronized void made(String what, String place) {
        changed++;
        lines.accept(what + " " + place);
    }

    synchronized void removed(String place) {
        removed++;
        lines.accept("remove " + place);
    }

    synchronized void same() {
        same++;
    }

    /** For a document. */
    public synchronized Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("copied", copied);
        figures.put("bytes", bytes);
        figures.put("same", same);
        figures.put("changed", changed);
        figures.put("removed", removed);
        return figures;
    }

    /** For a person. */
    public synchronized String line() {
        return "%d files copied (%d bytes), %d as they were, %d directories, links and modes changed, %d removed"
                .formatted(copied, bytes, same, changed, removed);
    }
}
