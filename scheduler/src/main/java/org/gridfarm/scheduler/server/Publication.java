package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.job.TaskOutput;
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
 */
record Publication(TaskOutput output) {
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
        return TaskOutput.of(spec).map(Publication::new);
    }

    /** The attempt, with a place to write to. */
    RunTaskRequest prepared(RunTaskRequest attempt) {
        String kind = output.isDirectory() ? "directory" : "file";
        return script(attempt, attempt.getTask(), PREPARE, kind)
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
                                text(allAttempts(attempt) + number(attempt)),
                                ByteString.copyFrom(output.place().last().bytes()),
                                text(last)));
    }

    private ByteString directory() {
        FarmPath parent = output.place().parent();
        return parent.isRoot() ? ByteString.EMPTY : ByteString.copyFrom(parent.bytes());
    }

    private static String allAttempts(RunTaskRequest attempt) {
        String task = attempt.getTask();
        return TaskOutput.hidden(task.substring(0, task.lastIndexOf('.')));
    }

    private static String number(RunTaskRequest attempt) {
        return attempt.getTask().substring(attempt.getTask().lastIndexOf('.') + 1);
    }

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
