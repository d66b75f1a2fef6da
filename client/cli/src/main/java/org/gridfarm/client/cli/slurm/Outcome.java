package org.gridfarm.client.cli.slurm;

import java.util.Optional;

/**
 * What an attempt came to, by what Slurm says of it and by what its script has left. Pure.
 *
 * @param isLost the attempt is of no account, as its node was lost
 * @param status as a shell has it
 * @param reason why it failed; empty for one that succeeded
 */
record Outcome(boolean isLost, int status, String reason) {
    private static final int KILLED = 137;
    private static final int ENDED = 143;
    private static final int UNKNOWN = 1;
    private static final int SIGNALLED = 128;
    private static final int SIGNAL_MAX = 64;
    private static final double MILLIS = 1e3;

    /**
     * @param task empty: Slurm knows no more of it
     * @param end empty: its script did not come to its end
     * @param timeoutMillis of each task; 0: none
     */
    static Outcome of(Optional<SlurmTask> task, Optional<Spool.End> end, long timeoutMillis) {
        String state = task.map(SlurmTask::state).orElse("");
        if (end.isPresent()) {
            return ofItsOwn(end.get(), state, timeoutMillis);
        }
        if (task.isEmpty()) {
            return failed(
                    UNKNOWN,
                    "Slurm knows no more of it: it was cancelled there, or is over for longer than MinJobAge");
        }
        SlurmTask known = task.get();
        if (known.isLost()) {
            return new Outcome(true, UNKNOWN, "lost in Slurm: " + state);
        }
        return switch (state) {
            case "CANCELLED" -> failed(ENDED, "cancelled in Slurm");
            case "TIMEOUT", "DEADLINE" -> failed(ENDED, "its time in Slurm was over: " + state);
            case "OUT_OF_MEMORY" -> failed(KILLED, "out of memory");
            default -> ofScript(known);
        };
    }

    private static Outcome ofItsOwn(Spool.End end, String state, long timeoutMillis) {
        int status = end.status();
        if (status == 0) {
            return new Outcome(false, 0, "");
        }
        if (state.equals("OUT_OF_MEMORY")) {
            return failed(status, "out of memory");
        }
        boolean isTimedOut =
                timeoutMillis > 0
                        && status > SIGNALLED
                        && end.ended() - end.started() >= timeoutMillis;
        return failed(
                status,
                isTimedOut
                        ? "timed out after %s s".formatted(timeoutMillis / MILLIS)
                        : "exit status " + status);
    }

    private static Outcome ofScript(SlurmTask task) {
        int status = Math.max(UNKNOWN, task.exitStatus());
        return failed(
                status,
                switch (status) {
                    case BatchScript.NO_MOUNT -> "the farm is not mounted there";
                    case BatchScript.NO_SPOOL -> "its output cannot be kept in the farm";
                    default ->
                            "Slurm could not run it: %s %s".formatted(task.state(), task.reason());
                });
    }

    private static Outcome failed(int status, String reason) {
        return new Outcome(false, status, reason);
    }

    /** 0: it was not ended by one. */
    int signal() {
        return status > SIGNALLED && status <= SIGNALLED + SIGNAL_MAX ? status - SIGNALLED : 0;
    }
}
