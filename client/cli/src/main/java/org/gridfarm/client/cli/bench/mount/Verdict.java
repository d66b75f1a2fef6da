package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;

import java.util.Map;
import java.util.Set;

/** Sets what was measured beside the local disk, and both beside what is aimed at. */
final class Verdict {
    static final String STAT = "stat, cached";
    static final String LIST = "ls -l, cached";
    static final String STAT_COLD = "stat of another mount's files, cold";
    static final String LIST_COLD = "ls -l of another mount's files";
    static final String SMALL_CREATE = "3,000 files of 8 KB: create, 4 threads";
    static final String SMALL_READ = "3,000 files of 8 KB: read, 4 threads";
    static final String SMALL_DELETE = "3,000 files of 8 KB: delete, 4 threads";
    static final String WRITE = "write, 1 MiB sequential";
    static final String WRITE_CLOSE = "write, 1 MiB sequential, and close";
    static final String WRITE_OVER = "write, 1 MiB sequential, over a file";
    static final String WRITE_ANYWHERE = "write, 4 KiB random, into a file";
    static final String READ = "read, 1 MiB sequential, cached";
    static final String READ_ANYWHERE = "read, 4 KiB random, cached";
    static final String READ_REMOTE = "read from another node, against a socket";
    static final String GIT = "git status, warm";
    static final String MEMORY = "memory of the mount's process, most";
    static final String MEMORY_STANDBY = "memory of the process that stands by";

    private static final String PASSTHROUGH = "passthrough_ll";
    private static final String AT = ", on ";

    private static final Map<String, Aim> AIMS =
            Map.ofEntries(
                    Map.entry(STAT, Aim.atLeast(0.7)),
                    Map.entry(LIST, Aim.atLeast(0.7)),
                    Map.entry(READ, Aim.atLeast(0.9)),
                    Map.entry(READ_ANYWHERE, Aim.atLeast(0.9)),
                    Map.entry(WRITE, Aim.atLeast(0.85)),
                    Map.entry(WRITE_OVER, Aim.atLeast(0.85)),
                    Map.entry(WRITE_ANYWHERE, Aim.atLeast(0.85)),
                    Map.entry(READ_REMOTE, Aim.atLeast(0.7)),
                    Map.entry(against(STAT_COLD, PASSTHROUGH), Aim.atLeast(1)),
                    Map.entry(MEMORY, Aim.atMost(300)));

    /** Aims at the value itself, whatever it is compared with besides. */
    private static final Map<String, Aim> ABSOLUTE =
            Map.of(
                    SMALL_CREATE,
                    Aim.atMost(0.6),
                    SMALL_READ,
                    Aim.atMost(0.3),
                    SMALL_DELETE,
                    Aim.atMost(0.2),
                    STAT_COLD,
                    Aim.atLeast(50_000),
                    byProcesses("create", 1),
                    Aim.atLeast(5_000),
                    byProcesses("create", 4),
                    Aim.atLeast(12_000),
                    byProcesses("unlink", 4),
                    Aim.atLeast(12_000));

    /** Compared with libfuse's example, not with the disk. */
    private static final Set<String> BESIDE_PASSTHROUGH =
            Set.of(
                    STAT_COLD,
                    byProcesses("create", 1),
                    byProcesses("create", 4),
                    byProcesses("unlink", 1),
                    byProcesses("unlink", 4));

    private final Samples samples;

    Verdict(Samples samples) {
        this.samples = samples;
    }

    static String byProcesses(String phase, int processes) {
        return phase
                + ", "
                + processes
                + (processes == 1 ? " process" : " processes in one directory");
    }

    Report report() {
        Report report = new Report("mount");
        for (String name : samples.names()) {
            if (name.equals(MountBench.local(name.replace(MountBench.local(""), "")))) {
                continue; // stands beside its row
            }
            Row row = samples.row(name);
            if (name.contains(AT)) {
                String besides = besides(name);
                report.add(besides.equals(name) ? row : judged(row, samples.median(besides)));
                continue;
            }
            double yardstick = samples.median(MountBench.local(name));
            Aim absolute = ABSOLUTE.get(name);
            boolean passthrough = BESIDE_PASSTHROUGH.contains(name);
            if (absolute == null && !passthrough) {
                report.add(judged(row, yardstick));
                continue;
            }
            report.add(absolute == null ? row : row.aiming(absolute));
            if (yardstick != 0) {
                String compared = against(name, passthrough ? PASSTHROUGH : "the disk");
                report.add(judged(Row.of(compared, row.value(), row.unit()), yardstick));
            }
        }
        return report;
    }

    /** What is added to the name of what is measured on another file system. */
    static String at(String peer) {
        return AT + peer;
    }

    /** What the same is on the local disk. */
    private static String besides(String nameOfPeer) {
        String what = nameOfPeer.substring(0, nameOfPeer.indexOf(AT));
        return BESIDE_PASSTHROUGH.contains(what) ? what + at("the disk") : MountBench.local(what);
    }

    private static String against(String name, String yardstick) {
        return name + ", against " + yardstick;
    }

    private static Row judged(Row row, double yardstick) {
        Row compared = yardstick == 0 ? row : row.against(yardstick);
        Aim aim = AIMS.get(row.name());
        return aim == null ? compared : compared.aiming(aim);
    }
}
