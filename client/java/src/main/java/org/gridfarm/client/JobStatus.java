package org.gridfarm.client;

import org.gridfarm.protocol.wire.JobInfo;

import java.util.Locale;

/**
 * How far a job is.
 *
 * @param local tasks that ran where all their input lay
 * @param waiting why the next of its tasks has not started; empty: nothing is known
 */
public record JobStatus(
        long id,
        String name,
        String user,
        State state,
        int tasks,
        int pending,
        int running,
        int succeeded,
        int failed,
        int cancelled,
        long local,
        String waiting) {
    /** The last three are final. */
    public enum State {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED,
        CANCELLED
    }

    static JobStatus of(JobInfo info) {
        return new JobStatus(
                info.getId(),
                info.getName(),
                info.getUser(),
                State.valueOf(info.getState().toUpperCase(Locale.ROOT)),
                info.getTasks(),
                info.getPending(),
                info.getRunning(),
                info.getSucceeded(),
                info.getFailed(),
                info.getCancelled(),
                info.getLocalTasks(),
                info.getWaiting());
    }

    public boolean hasEnded() {
        return state != State.PENDING && state != State.RUNNING;
    }
}
