package org.gridfarm.client.cli.slurm;

import java.util.Optional;
import java.util.Set;

/**
 * A task as {@code squeue} tells of it.
 *
 * @param id such as 12_3
 * @param state in Slurm's words
 * @param waitStatus of its script, as of wait(2)
 * @param restarts how often Slurm has begun it anew, because its node was lost
 */
record SlurmTask(
        String id, String state, int waitStatus, int restarts, String node, String reason) {
    static final String FORMAT =
            "ArrayJobID:12|,ArrayTaskID:12|,State:20|,exit_code:10|,RestartCnt:10|,NodeList:255|,Reason:255|";

    private static final int FIELDS = 7;
    private static final int SIGNAL_MASK = 0x7f;
    private static final int SIGNALLED = 128;
    private static final Set<String> OVER =
            Set.of(
                    "BOOT_FAIL",
                    "CANCELLED",
                    "COMPLETED",
                    "DEADLINE",
                    "FAILED",
                    "NODE_FAIL",
                    "OUT_OF_MEMORY",
                    "PREEMPTED",
                    "REVOKED",
                    "TIMEOUT");
    private static final Set<String> LOST =
            Set.of("BOOT_FAIL", "NODE_FAIL", "PREEMPTED", "REVOKED");

    static Optional<SlurmTask> of(String line) {
        String[] fields = line.split("\\|");
        if (fields.length < FIELDS) {
            return Optional.empty();
        }
        for (int i = 0; i < fields.length; i++) {
            fields[i] = fields[i].strip();
        }
        return Optional.of(
                new SlurmTask(
                        fields[0] + "_" + fields[1],
                        fields[2],
                        number(fields[3]),
                        number(fields[4]),
                        fields[5],
                        fields[6].equals("None") ? "" : fields[6]));
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
    }

    /** All its processes have ended, too: before that it is COMPLETING. */
    boolean isOver() {
        return OVER.contains(state);
    }

    boolean isWaiting() {
        return state.equals("PENDING") || state.startsWith("REQUEUE");
    }

    /** Slurm took it from its node, through no fault of its own. */
    boolean isLost() {
        return LOST.contains(state);
    }

    /** As a shell has it: 128 and the number of the signal that ended it. */
    int exitStatus() {
        int signal = waitStatus & SIGNAL_MASK;
        return signal != 0 ? SIGNALLED + signal : waitStatus >> 8;
    }
}
