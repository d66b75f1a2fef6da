package org.gridfarm.client.cli.copy;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.cli.Failures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Copies under way, a few files at a time. What fails is told on standard error at once, and the
 * rest goes on. For one thread, which walks the tree; files are copied on others.
 */
public final class Copies implements AutoCloseable {
    /**
     * @param from as the user would name it, and {@code to} as well
     */
    public record Copied(String from, String to, long bytes) {}

    /** One file, or what is to be done for a directory; returns the bytes copied. */
    public interface Step {
        long run() throws IOException;
    }

    private final ExecutorService threads;
    private final Semaphore room;
    private final int atOnce;

    @GuardedBy("this")
    private final List<Copied> copied = new ArrayList<>();

    @GuardedBy("this")
    private int exitCode; // of the first failure

    /**
     * @param atOnce files, at least 1
     */
    public Copies(int atOnce) {
        this.threads = Executors.newVirtualThreadPerTaskExecutor();
        this.room = new Semaphore(atOnce);
        this.atOnce = atOnce;
    }

    /** Returns as soon as there is room for one more. */
    public void file(String from, String to, Step step) {
        room.acquireUninterruptibly();
        threads.execute(() -> {
            try {
                here(from, to, step);
            } finally {
                room.release();
            }
        });
    }

    /** A file on this thread. */
    public void here(String from, String to, Step step) {
        guarded(() -> {
            add(new Copied(from, to, step.run()));
            return 0;
        });
    }

    /** On this thread. */
    public void guarded(Step step) {
        try {
            long unused = step.run();
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    private synchronized void add(Copied done) {
        copied.add(done);
    }

    private synchronized void failed(Exception failure) {
        int code = Failures.report(failure);
        exitCode = exitCode == 0 ? code : exitCode;
    }

    /** Waits for all files. */
    public void await() {
        room.acquireUninterruptibly(atOnce);
        room.release(atOnce);
    }

    /** In the order in which they were done. */
    public synchronized List<Copied> copied() {
        return List.copyOf(copied);
    }

    /** 0 where nothing failed, else that of the first failure. */
    public synchronized int exitCode() {
        return exitCode;
    }

    @Override
    public void close() {
        threads.close();
    }
}
