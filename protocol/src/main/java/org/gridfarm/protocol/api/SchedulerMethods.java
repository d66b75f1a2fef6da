package org.gridfarm.protocol.api;

import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.wire.*;
import org.gridfarm.protocol.wire.TaskInputReply;
import org.gridfarm.protocol.wire.TaskInputRequest;

/**
 * What the scheduler answers to {@code gf run}, {@code gf jobs} and pipelines. Shapes are in {@code
 * scheduler.proto}.
 */
public final class SchedulerMethods {
    /** The submission number makes it safe to repeat: the same submission is one job. */
    public static final Method<SubmitJobRequest, SubmitJobReply> SUBMIT =
            new Method<>(
                            160,
                            "submit-job",
                            SubmitJobRequest.parser(),
                            SubmitJobReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.PEOPLE.withFullProxy())
                    .withBulk();

    public static final Method<JobRequest, JobReply> JOB =
            new Method<>(
                    161,
                    "job",
                    JobRequest.parser(),
                    JobReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.needing("an own job, or an administrator"));
    public static final Method<ListJobsRequest, ListJobsReply> LIST =
            new Method<>(
                    162,
                    "list-jobs",
                    ListJobsRequest.parser(),
                    ListJobsReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE);
    public static final Method<CancelJobRequest, Empty> CANCEL =
            new Method<>(
                    163,
                    "cancel-job",
                    CancelJobRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.withFullProxy().needing("an own job, or an administrator"));
    public static final Method<WaitJobRequest, WaitJobReply> WAIT =
            new Method<>(
                            164,
                            "wait-job",
                            WaitJobRequest.parser(),
                            WaitJobReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.PEOPLE.needing("an own job, or an administrator"))
                    .thatWaits();

    /** What a task has written so far, or wrote; the scheduler asks the node. */
    public static final Method<TaskOutputRequest, TaskOutputReply> OUTPUT =
            new Method<>(
                            165,
                            "task-output",
                            TaskOutputRequest.parser(),
                            TaskOutputReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.PEOPLE.needing("an own job, or an administrator"))
                    .thatWaits();

    public static final Method<RetryJobRequest, SubmitJobReply> RETRY =
            new Method<>(
                    166,
                    "retry-job",
                    RetryJobRequest.parser(),
                    SubmitJobReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.withFullProxy().needing("an own job"));

    /** A key for which the caller then signs a proxy; it is not kept for long. */
    public static final Method<DelegationKeyRequest, DelegationKeyReply> DELEGATION_KEY =
            new Method<>(
                    170,
                    "delegation-key",
                    DelegationKeyRequest.parser(),
                    DelegationKeyReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.withFullProxy());

    /** The tasks of a job, those that run included, act by this proxy from now on. */
    public static final Method<RenewDelegationRequest, Empty> RENEW_DELEGATION =
            new Method<>(
                    171,
                    "renew-delegation",
                    RenewDelegationRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.withFullProxy().needing("an own job"));

    /** A piece of the standard input of a job's only task; the scheduler passes it on. */
    public static final Method<TaskInputRequest, TaskInputReply> INPUT =
            new Method<>(
                            172,
                            "task-input",
                            TaskInputRequest.parser(),
                            TaskInputReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.PEOPLE.withFullProxy().needing("an own job"))
                    .thatWaits();

    /** Nothing more of a job starts, or it goes on. What runs is not touched. */
    public static final Method<HoldJobRequest, Empty> HOLD =
            new Method<>(
                    185,
                    "hold-job",
                    HoldJobRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.withFullProxy().needing("an own job, or an administrator"));

    /** What speaks for and against each node for a task that waits. */
    public static final Method<WhyJobRequest, WhyJobReply> WHY =
            new Method<>(
                    186,
                    "why-job",
                    WhyJobRequest.parser(),
                    WhyJobReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.needing("an own job, or an administrator"));

    /** What the tasks that run have used so far; the scheduler asks their nodes. */
    public static final Method<JobUsageRequest, JobUsageReply> USAGE =
            new Method<>(
                    187,
                    "job-usage",
                    JobUsageRequest.parser(),
                    JobUsageReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.needing("an own job, or an administrator"));

    /** What users have had of the farm, by day. */
    public static final Method<UsageRequest, UsageReply> ACCOUNTS =
            new Method<>(
                    188,
                    "usage-by-day",
                    UsageRequest.parser(),
                    UsageReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.needing("the own user, or an administrator"));

    private SchedulerMethods() {}
}
