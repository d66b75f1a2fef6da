package org.gridfarm.client.cli.slurm;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
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
record Publishing(FarmPath place, boolean isDirectory, String hidden) {
    static Optional<Publishing> of(TaskSpec task, int index, String job) {
        if (task.getOutputsCount() == 0) {
            return Optional.empty();
        }
        ByteString text = task.getOutputs(0);
        FarmPath place = FarmPath.of(text.toByteArray());
        if (place.isRoot() || place.last().toString().startsWith(".gf-")) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run",
                    place.toString(),
                    "an output needs a name, which begins not with .gf-");
        }
        return Optional.of(
                new Publishing(
                        place,
                        text.endsWith(ByteString.copyFromUtf8("/")),
                        ".gf-out-" + job + "." + index + "."));
    }

    /** What makes the place to write to, in the words of the shell, before the task begins. */
    String prepared() {
        return "d="
                + Shell.mounted(place.parent().toString())
                + " n="
                + Shell.quote(place.last().toString())
                + "; s=$d/"
                + Shell.quote(hidden)
                + "$GF_ATTEMPT; export GF_OUT=\"$s/$n\"; "
                + "mkdir -p -- \"$d\" && rm -rf -- \"$s\" && mkdir -m 700 -- \"$s\" || exit 73; "
                + (isDirectory ? "mkdir -- \"$GF_OUT\" || exit 73; " : "")
                + "unset d n s; ";
    }

    /**
     * What this attempt left comes to its place, and what the others left goes.
     *
     * @return false if it left nothing
     */
    boolean publish(Gridfarm farm, int attempt, int attempts) {
        FarmPath own = directory(attempt);
        FarmPath written = own.child(place.last());
        boolean isThere = isThere(farm, written);
        if (isThere) {
            if (isThere(farm, place) && farm.statLink(place).isDirectory()) {
                farm.rename(place, own.child(".gf-replaced"));
            }
            farm.rename(written, place);
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
        return place.parent().child(hidden + attempt);
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
