package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.List;
import java.util.Optional;

/**
 * How what a task leaves at {@code $GF_OUT} comes to its place. Each attempt has a hidden directory
 * of its own beside that place, which nobody else may enter; {@code $GF_OUT} is in it, under the
 * last name of the place. After success one rename publishes it; then the directories of all
 * attempts are removed, so that one that still runs somewhere can leave nothing any more.
 *
 * <p>Attempt, publication and removal all run on a node, as the user: the scheduler itself has no
 * right to change a file. The scripts can be begun again wherever they were cut off.
 *
 * @param isDirectory the task finds {@code $GF_OUT} as an empty directory
 */
record Publication(FarmPath place, boolean isDirectory) {
    private static final String HIDDEN = ".gf-out-";

    /** What a script finds: the directory, the attempt's own in it, the last name, and more. */
    private static final String NAMES = "d=$GF_MOUNT$1 s=$GF_MOUNT$1/$2 o=$GF_MOUNT$1/$2/$3\n";

    /** An attempt that a node begins once more, because it had forgotten it, begins anew. */
    private static final String PREPARE =
            NAMES
                    + """
                    mkdir -p -- "$d" && rm -rf -- "$s" && mkdir -m 700 -- "$s" || exit 73
                    [ "$4" = file ] || mkdir -- "$o" || exit 73
                    GF_OUT=$o
                    export GF_OUT
                    unset d s o
                    shift 4
                    exec "$@"
                    """;

    /** The mark tells a task that wrote nothing from one whose output has been moved already. */
    private static final String PUBLISH =
            NAMES
                    + """
                    f=$d/$3 m=$s/.gf-publish
                    there() { [ -e "$1" ] || [ -L "$1" ]; }
                    if [ -d "$s" ]; then
                        if ! [ -e "$m" ]; then
                            there "$o" || { echo 'nothing was written to $GF_OUT' >&2; exit 73; }
                            : >"$m" || exit 73
                        fi
                        if there "$o"; then
                            if [ -d "$f" ] && ! [ -L "$f" ]; then
                                mv -T -- "$f" "$s/.gf-replaced" || exit 73
                            fi
                            mv -f -T -- "$o" "$f" || ! there "$o" || exit 73
                        fi
                    fi
                    rm -rf -- "$d/$4"*
                    """;

    /** Others may still be under way, or be published. */
    private static final String DISCARD_OWN = "rm -rf -- \"$GF_MOUNT$1/$2\"\n";

    private static final String DISCARD = "rm -rf -- \"$GF_MOUNT$1/$4\"*\n";

    /** Empty for a task that has none; INVALID or TOO_BIG for what cannot be one. */
    static Optional<Publication> of(TaskSpec spec) {
        if (spec.getOutputsCount() == 0) {
            return Optional.empty();
        }
        ByteString text = spec.getOutputs(0);
        FarmPath place = FarmPath.of(text.toByteArray());
        if (spec.getOutputsCount() > 1) {
            throw refused(place.toString(), "a task has one output: make it a directory");
        }
        if (place.isRoot() || place.last().toString().startsWith(".gf-")) {
            throw refused(place.toString(), "an output needs a name, which begins not with .gf-");
        }
        return Optional.of(new Publication(place, text.endsWith(ByteString.copyFromUtf8("/"))));
    }

    private static FarmException refused(String place, String why) {
        return new FarmException(ErrorKind.INVALID, "submit", place, why);
    }

    /** The attempt, with a place to write to. */
    RunTaskRequest prepared(RunTaskRequest attempt) {
        return script(attempt, attempt.getTask(), PREPARE, isDirectory ? "directory" : "file")
                .addAllArgv(attempt.getArgvList())
                .setStreamsInput(attempt.getStreamsInput())
                .setStdinPath(attempt.getStdinPath())
                .setTimeoutMillis(attempt.getTimeoutMillis())
                .setDirectory(attempt.getDirectory())
                .addAllLocals(attempt.getLocalsList())
                .build();
    }

    /** What is to be run after the attempt has succeeded. */
    RunTaskRequest published(RunTaskRequest attempt) {
        return script(attempt, attempt.getTask() + ".publish", PUBLISH, allAttempts(attempt))
                .build();
    }

    /** What is to be run after it has not. */
    RunTaskRequest discarded(RunTaskRequest attempt) {
        return script(attempt, attempt.getTask() + ".discard", DISCARD, allAttempts(attempt))
                .build();
    }

    /** What is to be run after one of two attempts has not. */
    RunTaskRequest discardedOwn(RunTaskRequest attempt) {
        return script(attempt, attempt.getTask() + ".discard", DISCARD_OWN, "").build();
    }

    private RunTaskRequest.Builder script(
            RunTaskRequest attempt, String name, String script, String last) {
        return attempt.toBuilder()
                .setTask(name)
                .clearArgv()
                .clearStdinPath()
                .clearTimeoutMillis()
                .clearDirectory()
                .clearStreamsInput()
                .clearLocals()
                .setNeedsMount(true)
                .addAllArgv(
                        List.of(
                                text("/bin/sh"),
                                text("-c"),
                                text(script),
                                text("sh"),
                                directory(),
                                text(HIDDEN + attempt.getTask()),
                                ByteString.copyFrom(place.last().bytes()),
                                text(last)));
    }

    private ByteString directory() {
        return place.parent().isRoot()
                ? ByteString.EMPTY
                : ByteString.copyFrom(place.parent().bytes());
    }

    private static String allAttempts(RunTaskRequest attempt) {
        String task = attempt.getTask();
        return HIDDEN + task.substring(0, task.lastIndexOf('.')) + ".";
    }

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
