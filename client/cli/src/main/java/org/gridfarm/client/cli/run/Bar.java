package org.gridfarm.client.cli.run;

import org.gridfarm.client.cli.Output;
import org.gridfarm.protocol.wire.JobInfo;

import java.util.Locale;

/** How far a job is, on one line that is written again and again. For a terminal. */
public final class Bar {
    private static final double NANOS = 1e9;
    private static final int PERCENT = 100;
    private final long begun = System.nanoTime();
    private int width;

    public void show(JobInfo job) {
        String line = line(job, (System.nanoTime() - begun) / NANOS);
        System.err.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
        System.err.flush();
        width = line.length();
    }

    static String line(JobInfo job, double seconds) {
        int done = job.getSucceeded() + job.getFailed() + job.getCancelled();
        double rate = done / Math.max(seconds, 1e-3);
        long read = job.getInputBytesLocal() + job.getInputBytesRemote();
        StringBuilder line = new StringBuilder();
        line.append(
                String.format(
                        Locale.ROOT,
                        "%d of %d (%d %%), %d running, %d failed, %.1f/s",
                        done,
                        job.getTasks(),
                        done * (long) PERCENT / Math.max(1, job.getTasks()),
                        job.getRunning(),
                        job.getFailed(),
                        rate));
        if (done > 0 && done < job.getTasks()) {
            line.append(
                    String.format(Locale.ROOT, ", %.0f s left", (job.getTasks() - done) / rate));
        }
        if (read > 0) {
            line.append(
                    String.format(
                            Locale.ROOT,
                            ", %d %% of %s local",
                            job.getInputBytesLocal() * PERCENT / read,
                            Output.bytes(read)));
        }
        return line.toString();
    }

    public void end() {
        System.err.print("\r" + " ".repeat(width) + "\r");
        System.err.flush();
    }
}
