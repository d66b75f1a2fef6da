package org.gridfarm.client.cli.bench.meta;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;

import java.util.List;

/** Sets what was measured beside its yardsticks and aims. */
final class Verdict {
    static final String SYNC = "fsync of 4 KiB";
    static final String STAT_CACHED = "stat, client cache";
    static final String STAT_SERVER = "stat, server";

    /** A lone client waits for one commit and for its own two messages. */
    private static final Aim LATENCY = Aim.atMost(2);

    /** Group commit against the best that one row a commit can do. */
    private static final Aim GROUPED = Aim.atLeast(5);

    /** No slower, within what two runs of the same differ by. */
    private static final Aim AS_FAST = Aim.atLeast(0.9);

    private static final Aim STATS = Aim.atLeast(100_000);
    private static final int STATS_THREADS = 64;

    private final Samples samples;
    private final List<Integer> threads;

    Verdict(Samples samples, List<Integer> threads) {
        this.samples = samples;
        this.threads = threads;
    }

    static String commits(int threads) {
        return "commit of one row, " + count(threads, "thread");
    }

    static String library(String phase, String where, int threads) {
        return phase + ", " + where + ", " + count(threads, "thread");
    }

    static String mount(String phase, String where, int processes) {
        return "mount: " + phase + ", " + where + ", " + count(processes, "process");
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : what.endsWith("s") ? "es" : "s");
    }

    Report report() {
        Report report = new Report("meta");
        for (String name : samples.names()) report.add(samples.row(name));
        compare(report);
        return report;
    }

    private void compare(Report report) {
        double best = 0;
        for (int t : threads) best = Math.max(best, samples.median(commits(t)));
        int most = threads.stream().mapToInt(Integer::intValue).max().orElse(1);
        if (best > 0) {
            if (threads.contains(1)) {
                report.add(
                        Row.of(
                                        "latency of a lone create",
                                        micros(library("create", "own", 1)),
                                        "µs")
                                .against(micros(commits(1)))
                                .aiming(LATENCY));
            }
            for (String where : List.of("own", "shared")) {
                report.add(
                        figure(
                                        "create, "
                                                + where
                                                + ", against the best commits of one row",
                                        library("create", where, most))
                                .against(best)
                                .aiming(GROUPED));
            }
        }
        for (int t : threads) {
            report.add(
                    figure(
                                    "create, one directory against many, " + count(t, "thread"),
                                    library("create", "shared", t))
                            .against(samples.median(library("create", "own", t)))
                            .aiming(AS_FAST));
        }
        if (threads.contains(STATS_THREADS)) {
            for (String by : List.of(STAT_CACHED, STAT_SERVER)) {
                report.add(
                        figure(
                                        by + ", " + count(STATS_THREADS, "thread"),
                                        library(by, "own", STATS_THREADS))
                                .aiming(STATS));
            }
        }
    }

    private double micros(String name) {
        return samples.micros(name);
    }

    private Row figure(String name, String of) {
        return Row.of(name, samples.median(of), "files/s");
    }
}
