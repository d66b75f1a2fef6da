package org.gridfarm.scheduler.job;

import org.gridfarm.protocol.wire.JobInfo;

/** What the last attempts of a job's tasks have used, those that ended. Owned by the job. */
final class Used {
    private long cpuMicros;
    private long memoryPeak;
    private long wallMillis;
    private long waitMillis;

    /** Once, when it has ended. */
    void add(Task task) {
        if (task.attempts() > 0) {
            cpuMicros += task.usage().getCpuMicros();
            memoryPeak = Math.max(memoryPeak, task.usage().getMemoryPeak());
            wallMillis += Math.max(0, task.ended() - task.started());
            waitMillis += Math.max(0, task.started() - task.queued());
        }
    }

    JobInfo.Builder shownIn(JobInfo.Builder info) {
        return info.setCpuMicros(cpuMicros)
                .setMemoryPeak(memoryPeak)
                .setWallMillis(wallMillis)
                .setWaitMillis(waitMillis);
    }
}
