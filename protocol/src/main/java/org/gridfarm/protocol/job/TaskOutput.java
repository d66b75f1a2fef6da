package org.gridfarm.protocol.job;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.Optional;

/**
 * Where the output of a task appears when it has succeeded ({@code --out}). Until then each attempt
 * has a hidden directory of its own beside that place.
 *
 * @param isDirectory the task finds {@code $GF_OUT} as an empty directory
 */
public record TaskOutput(FarmPath place, boolean isDirectory) {
    private static final String HIDDEN = ".gf-out-";

    /** No output has a name of this kind: it would be taken for what is not published yet. */
    private static final String RESERVED = ".gf-";

    /** Empty for a task that has none; INVALID or TOO_BIG for what cannot be one. */
    public static Optional<TaskOutput> of(TaskSpec spec) {
        if (spec.getOutputsCount() == 0) {
            return Optional.empty();
        }
        ByteString text = spec.getOutputs(0);
        FarmPath place = FarmPath.of(text.toByteArray());
        if (spec.getOutputsCount() > 1) {
            throw refused(place, "a task has one output: make it a directory");
        }
        if (place.isRoot() || place.last().toString().startsWith(RESERVED)) {
            throw refused(place, "an output needs a name, which begins not with " + RESERVED);
        }
        return Optional.of(new TaskOutput(place, text.endsWith(ByteString.copyFromUtf8("/"))));
    }

    /**
     * What the hidden directories of all attempts of a task begin with; the number of the attempt
     * follows.
     *
     * @param task the number of its job and its own, as in {@code 12.3}
     */
    public static String hidden(String task) {
        return HIDDEN + task + ".";
    }

    private static FarmException refused(FarmPath place, String why) {
        return new FarmException(ErrorKind.INVALID, "submit", place.toString(), why);
    }
}
