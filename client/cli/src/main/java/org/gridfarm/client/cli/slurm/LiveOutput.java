package org.gridfarm.client.cli.slurm;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Prints what the only task of a job writes, as it comes; of each attempt one after the other. */
final class LiveOutput {
    private final Spool spool;
    private final int task;
    private int attempt;
    private long out;
    private long err;

    LiveOutput(Spool spool, int task) {
        this.spool = spool;
        this.task = task;
    }

    void more(int of) {
        if (of != attempt) {
            attempt = of;
            out = 0;
            err = 0;
        }
        try {
            out += spool.copy(task, attempt, false, out, System.out);
            err += spool.copy(task, attempt, true, err, System.err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.out.flush();
        System.err.flush();
    }
}
