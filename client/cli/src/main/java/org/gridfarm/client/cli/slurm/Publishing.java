package org.gridfarm.client.cli.slurm;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.job.TaskOutput;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.Optional;

/**
 * How what a task leaves at {@code $GF_OUT} comes to its place. Each attempt has a hidden directory
 * beside it, which is the user's alone; once an attempt has succeeded, {@code gf run} itself
 * renames what is in it and removes those of all attempts. So only one is ever published, and none
 * where {@code gf run} was killed.
 *
 * @param hidden what the names of the attempts' directories begin with
 */
record Publishing(TaskOutput output, String hidden) {
    static Optional<Publishing> of(TaskSpec task, int index, String job) {
        return TaskOutput.of(task)
                .map(output -> new Publishing(output, TaskOutput.hidden(job + "." + index)));
    }

    /** What makes the place to write to, in the words of the shell, before the task begins. */
    String prepared() {
        return "d="
                + Shell.mounted(output.place().parent().toString())
                + " n="
                + Shell.quote(output.place().last().toString())
                + "; s=$d/"
                + Shell.quote(hidden)
                + "$GF_ATTEMPT; export GF_OUT=\"$s/$n\"; "
                + "mkdir -p -- \"$d\" && rm -rf -- \"$s\" && mkdir -m 700 -- \"$s\" || exit 73; "
                + (output.isDirectory() ? "mkdir -- \"$GF_OUT\" || exit 73; " : "")
                + "unset d n s; ";
    }

    /**
     * What this attempt left comes to its place, and what the others left goes.
     *
     * @return false if it left nothing
     */
    boolean publish(Gridfarm farm, int attempt, int attempts) {
        FarmPath own = directory(attempt);
        FarmPath written = own.child(output.place().last());
        boolean isThere = isThere(farm, written);
        if (isThere) {
            if (isThere(farm, output.place()) && farm.statLink(output.place()).isDirectory()) {
                farm.rename(output.place(), own.child(".gf-replaced"));
            }
            farm.rename(written, output.place());
        }
        discard(farm, attempts);
        return isThere;
    }

    /** What attempts that failed or were lost have left. */
    void discard(Gridfarm farm, int attempts) {
        for (int attempt = 1; attempt <= attempts; attempt++) {
            if (isThere(farm, directory(attempt))) {
                farm.deleteRecursively(directory(attempt));
            }
        }
    }

    private FarmPath directory(int attempt) {
        return output.place().parent().child(hidden + attempt);
    }

    private static boolean isThere(Gridfarm farm, FarmPath path) {
        try {
            farm.statLink(path);
            return true;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }
}
