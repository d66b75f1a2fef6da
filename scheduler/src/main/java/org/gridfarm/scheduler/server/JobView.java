package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;

import java.util.ArrayList;
import java.util.List;

/**
 * What somebody is told of a job. Its owner and administrators: all of it. Others: that it is
 * there, whose it is, and how far; nothing that came from its command, which may hold secrets.
 */
record JobView(Identity asking, Job of, JobInfo info) {
    /** Leaves room in a frame of 8 MiB for the last task, whose output is at most 6 MiB. */
    private static final int PAGE_BYTES_MAX = 1 << 20;

    boolean isOwn() {
        return asking.isAdmin() || asking.user().equals(of.user());
    }

    /** NOT_PERMITTED to everybody else. */
    void requireOwn(String operation) {
        if (!isOwn()) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    operation,
                    Long.toString(of.id()),
                    "it belongs to " + of.user());
        }
    }

    /** Also to administrators, whose own the tasks would be. */
    void requireOwner(String operation) {
        if (!asking.user().equals(of.user())) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    operation,
                    Long.toString(of.id()),
                    "its tasks run as " + of.user() + ", who alone may run them again");
        }
    }

    JobInfo job() {
        return isOwn() ? info : info.toBuilder().clearName().clearWaiting().build();
    }

    /** As many of these as one answer takes, from the first on; that one always. */
    List<TaskInfo> tasks(List<Task> tasks, boolean withOutput) {
        List<TaskInfo> page = new ArrayList<>();
        int bytes = 0;
        for (Task task : tasks) {
            if (bytes >= PAGE_BYTES_MAX) {
                break;
            }
            TaskInfo info = task(task, withOutput);
            bytes += info.getSerializedSize();
            page.add(info);
        }
        return page;
    }

    private TaskInfo task(Task task, boolean withOutput) {
        TaskInfo info = task.info(withOutput && isOwn());
        return isOwn() ? info : info.toBuilder().clearArgument().clearArgv().clearReason().build();
    }
}
