package org.gridfarm.scheduler.job;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/** What the final failure of one task does to the others of its job. */
public enum Halt {
    /** Nothing: all run. */
    NEVER,
    /** What runs may end, nothing new is started. */
    SOON,
    /** What runs is killed as well. */
    NOW;

    public static Halt of(String word) {
        return switch (word) {
            case "", "never" -> NEVER;
            case "soon" -> SOON;
            case "now" -> NOW;
            default ->
                    throw new FarmException(
                            ErrorKind.USAGE, "halt", word, "use never, soon or now");
        };
    }
}
