package org.gridfarm.client;

import org.gridfarm.protocol.wire.TaskInfo;

import java.time.Duration;
import java.util.Locale;

/**
 * A task that has ended.
 *
 * @param index from 0 on, in the order of the job
 * @param node where it ran; empty: it did not
 * @param locality whether its input lay there: local, rack or remote; none: it has no input
 * @param exitCode of its program
 * @param signal that ended it; 0: none
 * @param attempts how often it was started
 * @param ran how long the last of them took
 * @param reason why it failed, or was cancelled; empty: it was not
 */
public record TaskResult(
        int index,
        State state,
        String node,
        String locality,
        int exitCode,
        int signal,
        int attempts,
        Duration ran,
        String reason) {
    /** How it ended. */
    public enum State {
        SUCCEEDED,
        FAILED,
        CANCELLED
    }

    static TaskResult of(TaskInfo info) {
        return new TaskResult(
                info.getIndex(),
                State.valueOf(info.getState().toUpperCase(Locale.ROOT)),
                info.getNode(),
                info.getLocality(),
                info.getExitCode(),
                info.getSignal(),
                info.getAttempts(),
                Duration.ofMillis(Math.max(0, info.getEnded() - info.getStarted())),
                info.getReason());
    }

    public boolean succeeded() {
        return state == State.SUCCEEDED;
    }
}
