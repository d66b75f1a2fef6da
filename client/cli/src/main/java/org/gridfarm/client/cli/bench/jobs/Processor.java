package org.gridfarm.client.cli.bench.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Processor time of processes of this host, with that of the children that have ended.
 *
 * @param pids of those that are added up
 */
record Processor(List<Long> pids) {
    private static final int USER_FIELD = 11; // utime of /proc/PID/stat, counted after the name
    private static final int FIELDS = 4; // utime stime cutime cstime
    private static final double TICKS_PER_SECOND = 100; // USER_HZ, on every Linux

    double seconds() {
        return pids.stream().mapToDouble(Processor::seconds).sum();
    }

    private static double seconds(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            double ticks = 0;
            for (int i = 0; i < FIELDS; i++) {
                ticks += Double.parseDouble(fields[USER_FIELD + i]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
