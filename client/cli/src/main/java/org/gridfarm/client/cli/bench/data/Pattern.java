package org.gridfarm.client.cli.bench.data;

import java.nio.file.Path;

/**
 * One way of using files, which can be done in any directory.
 *
 * @param amount of the unit, done in one run
 * @param before makes what the run needs; not measured
 */
public record Pattern(String name, String unit, double amount, Step before, Step run) {
    interface Step {
        void in(Path directory) throws Exception;
    }

    /** Units a second. */
    public double rate(Path directory) throws Exception {
        before.in(directory);
        long began = System.nanoTime();
        run.in(directory);
        return amount / ((System.nanoTime() - began) / 1e9);
    }
}
