package org.gridfarm.client.cli.bench.meta;

import org.gridfarm.client.cli.bench.Latencies;
import org.gridfarm.client.cli.bench.Load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * One life of many files: made, looked at, listed, renamed, removed, by threads that each have
 * files of their own, in a directory each or in one together.
 */
final class Phases {
    private static final Duration UNTIL_DONE = Duration.ofMinutes(10);

    /** Files that are looked at, by all threads together: no more than a client keeps. */
    private static final int LOOKED_AT_MAX = 20_000;

    /** Files made in one phase, so that what follows does not take much longer. */
    private static final int MADE_MAX = 100_000;

    /** What a phase came to: a rate of files, or of entries for {@link #list}. */
    record Result(double perSecond, Latencies latencies) {
        static Result of(Load.Outcome outcome) {
            return new Result(outcome.perSecond(), outcome.latencies());
        }
    }

    private final Tree tree;
    private final String base;
    private final String tag;
    private final int threads;
    private final boolean shared;
    private final Duration time;
    private final int[] made;
    private final int[] renamed;

    /**
     * @param base directory for the files
     * @param tag part of their names: instances that share a base have different ones
     */
    Phases(Tree tree, String base, String tag, int threads, boolean shared, Duration time) {
        this.tree = tree;
        this.base = base;
        this.tag = tag;
        this.threads = threads;
        this.shared = shared;
        this.time = time;
        made = new int[threads];
        renamed = new int[threads];
        try {
            for (int t = 0; t < (shared ? 1 : threads); t++) tree.makeDirectory(directory(t));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String directory(int thread) {
        return shared ? base : base + "-" + thread;
    }

    private String name(int thread, long number) {
        return name(number < renamed[thread] ? "renamed" : "file", thread, number);
    }

    private String name(String kind, int thread, long number) {
        return kind + tag + "-" + thread + "-" + number;
    }

    Result create() {
        int most = Math.max(1, MADE_MAX / threads);
        return Result.of(
                Load.run(
                        threads,
                        time,
                        (t, _) -> {
                            if (made[t] >= most) return false;
                            tree.create(directory(t), name(t, made[t]));
                            made[t]++;
                            return true;
                        }));
    }

    /** The caches that there are hold what is looked at. */
    void warm() {
        int most = Math.max(1, LOOKED_AT_MAX / threads);
        Load.run(
                threads,
                UNTIL_DONE,
                (t, round) -> {
                    if (round >= Math.min(made[t], most)) return false;
                    tree.stat(directory(t), name(t, round));
                    return true;
                });
    }

    Result stat() {
        return stat(tree);
    }

    /** The same files by another way. */
    Result stat(Tree by) {
        int most = Math.max(1, LOOKED_AT_MAX / threads);
        return Result.of(
                Load.run(
                        threads,
                        time,
                        (t, round) -> {
                            int files = Math.min(made[t], most);
                            if (files == 0) return false;
                            by.stat(directory(t), name(t, round % files));
                            return true;
                        }));
    }

    Result list() {
        LongAdder entries = new LongAdder();
        Load.Outcome outcome =
                Load.run(
                        threads,
                        time,
                        (t, _) -> {
                            entries.add(tree.list(directory(t)));
                            return true;
                        });
        return new Result(entries.sum() / outcome.seconds(), outcome.latencies());
    }

    Result rename() {
        return Result.of(
                Load.run(
                        threads,
                        time,
                        (t, _) -> {
                            if (renamed[t] >= made[t]) return false;
                            String from = name(t, renamed[t]);
                            tree.rename(directory(t), from, name("renamed", t, renamed[t]));
                            renamed[t]++;
                            return true;
                        }));
    }

    /** All of them, however long it takes. */
    Result unlink() {
        return Result.of(
                Load.run(
                        threads,
                        UNTIL_DONE,
                        (t, round) -> {
                            if (round >= made[t]) return false;
                            tree.unlink(directory(t), name(t, round));
                            return true;
                        }));
    }

    void removeDirectories() {
        try {
            for (int t = 0; t < (shared ? 1 : threads); t++) tree.removeDirectory(directory(t));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
