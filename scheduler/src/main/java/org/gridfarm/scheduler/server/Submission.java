package org.gridfarm.scheduler.server;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.job.Halt;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.VariableName;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;

/** A job as it was asked for, found to be one that can be kept and run. */
record Submission(String user, SubmitJobRequest request, NodePattern on) {
    private static final int NAME_CHARS_MAX = 255;

    /** Refuses in one line what could only fail later, or stand in the way of others. */
    static Submission of(Identity identity, SubmitJobRequest request) {
        if (!identity.role().isPerson()) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED, "submit", identity.dn(), "only people have jobs");
        }
        identity.requireFull("submit a job");
        String name = request.getName();
        if (request.getTasksCount() > Limits.TASKS_PER_JOB_MAX) {
            throw refused(
                    ErrorKind.TOO_BIG,
                    name,
                    "at most " + Limits.TASKS_PER_JOB_MAX + " tasks a job");
        }
        if (request.getSubmission() == 0) {
            throw refused(ErrorKind.PROTOCOL, name, "no submission number");
        }
        if (name.length() > NAME_CHARS_MAX || name.indexOf('\0') >= 0) {
            throw refused(
                    ErrorKind.INVALID,
                    name.replace('\0', '?').substring(0, Math.min(name.length(), NAME_CHARS_MAX)),
                    "a name has up to " + NAME_CHARS_MAX + " characters and no zero byte");
        }
        if (request.getStreamsInput() && request.getTasksCount() != 1) {
            throw refused(ErrorKind.INVALID, name, "only a job of one task has an input");
        }
        Halt.of(request.getHalt());
        NodePattern.of(request.getPrefer());
        if (request.getMemoryBytes() < 0 || request.getDiskBytes() < 0 || request.getGpus() < 0) {
            throw refused(ErrorKind.INVALID, name, "memory, disk and GPUs are not negative");
        }
        if (request.getAfterCount() > Limits.AFTER_MAX) {
            throw refused(ErrorKind.TOO_BIG, name, "after at most " + Limits.AFTER_MAX + " jobs");
        }
        request.getEnvironmentMap().keySet().forEach(VariableName::new);
        if (!request.getDirectory().isEmpty()) {
            FarmPath.of(request.getDirectory().toByteArray());
        }
        for (TaskSpec task : request.getTasksList()) {
            task.getInputsList().forEach(input -> FarmPath.of(input.toByteArray()));
            if (task.getLocalsCount() > Limits.LOCALS_MAX) {
                throw refused(
                        ErrorKind.TOO_BIG,
                        name,
                        "a task is shown at most " + Limits.LOCALS_MAX + " files as local ones");
            }
            task.getLocalsList().forEach(input -> FarmPath.of(input.toByteArray()));
            Publication.of(task);
        }
        return new Submission(identity.user(), request, NodePattern.of(request.getNodePattern()));
    }

    /** What the widest of its tasks asks for. */
    int mostSlots() {
        return request.getTasksList().stream().mapToInt(TaskSpec::getSlots).max().orElse(0);
    }

    Needs needs() {
        return Needs.of(request);
    }

    private static FarmException refused(ErrorKind kind, String name, String why) {
        return new FarmException(kind, "submit", name, why);
    }
}
