package org.gridfarm.client.cli.find;

import org.gridfarm.client.core.FileInfo;

import java.util.function.BooleanSupplier;

/** A file that the walk has come to, and what becomes of it. For one thread. */
public final class Visit {
    private final FileInfo file;
    private final int depth;
    private final BooleanSupplier empty;
    private boolean pruned;

    /**
     * @param depth 0: a place that the user named
     * @param empty whether it is a directory without entries now, or a file without content
     */
    public Visit(FileInfo file, int depth, BooleanSupplier empty) {
        this.file = file;
        this.depth = depth;
        this.empty = empty;
    }

    public FileInfo file() {
        return file;
    }

    public int depth() {
        return depth;
    }

    boolean isEmpty() {
        return empty.getAsBoolean();
    }

    void prune() {
        pruned = true;
    }

    /** What is below it is not wanted. */
    public boolean isPruned() {
        return pruned;
    }

    String name() {
        return file.path().isRoot() ? "/" : file.path().last().toString();
    }
}
