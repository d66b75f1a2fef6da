package org.gridfarm.client;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.List;

/**
 * A task: a program, and the files of the farm that it reads. It runs where most of them lie, and
 * finds the farm at {@code $GF_MOUNT}.
 *
 * @param command the program and its arguments
 * @param inputs paths in the farm; they decide where it runs
 * @param slots how many of a node's it takes
 * @param needsMount it names files of the farm, and so needs a node that has it mounted
 */
public record TaskSpec(List<String> command, List<String> inputs, int slots, boolean needsMount) {
    public TaskSpec {
        command = List.copyOf(command);
        inputs = List.copyOf(inputs);
        if (command.isEmpty()) {
            throw new FarmException(ErrorKind.INVALID, "submit", "task", "it has no command");
        }
        if (slots < 1) {
            throw new FarmException(
                    ErrorKind.INVALID, "submit", "task", slots + " slots: at least 1");
        }
    }

    /** A line for {@code /bin/sh}, as in {@code wc -l < "$GF_MOUNT/in/x"}. */
    public static TaskSpec shell(String line, String... inputs) {
        return new TaskSpec(List.of("/bin/sh", "-c", line), List.of(inputs), 1, true);
    }

    public TaskSpec withSlots(int wanted) {
        return new TaskSpec(command, inputs, wanted, needsMount);
    }
}
