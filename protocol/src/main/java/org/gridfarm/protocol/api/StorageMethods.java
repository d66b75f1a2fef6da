package org.gridfarm.protocol.api;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.wire.*;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;

/**
 * What a storage node answers: object input and output along a chain (clients and other nodes), the
 * local fast path, commands of the metaserver (which it gets on its own connection to it), and
 * tasks (from the scheduler). Shapes are in {@code storage.proto}.
 */
public final class StorageMethods {
    /** For whom a gateway asks the ticket says. */
    private static final Access HERE = Access.CLIENTS.and(Role.GATEWAY);

    /** Who a guest is, too. Without a ticket he gets nothing, so no staged files. */
    private static final Access CLIENTS = HERE.and(Role.GUEST);

    /** Other nodes pass on what clients have them do. */
    private static final Access FILES = CLIENTS.and(Role.NODE);

    private static final Access COMMANDS = Access.of(Role.METASERVER);

    public static final Method<WriteObjectRequest, ChainOutcome> WRITE =
            new Method<>(
                            100,
                            "write",
                            WriteObjectRequest.parser(),
                            ChainOutcome.parser(),
                            Retry.ONCE,
                            FILES.and(Role.METASERVER).needing("a ticket to write"))
                    .withBulk();
    public static final Method<ReadObjectRequest, ReadObjectReply> READ =
            new Method<>(
                    101,
                    "read",
                    ReadObjectRequest.parser(),
                    ReadObjectReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("a ticket to read"));

    /** Of a content of up to {@link #SUMMED_BYTES_MAX}; INVALID of a longer one. */
    public static final Method<ReadSumsRequest, ReadSumsReply> READ_SUMS =
            new Method<>(
                    181,
                    "read-sums",
                    ReadSumsRequest.parser(),
                    ReadSumsReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("a ticket to read"));

    /** 64 GiB: 4 MiB of sums, half of what a frame holds. */
    public static final long SUMMED_BYTES_MAX = 64L << 30;

    public static final Method<SyncObjectRequest, ChainOutcome> SYNC =
            new Method<>(
                    102,
                    "sync",
                    SyncObjectRequest.parser(),
                    ChainOutcome.parser(),
                    Retry.IDEMPOTENT,
                    FILES.and(Role.METASERVER).needing("a ticket to write"));

    /** What the replica holds is on stable storage then, whoever wrote it. */
    public static final Method<ForceObjectRequest, Empty> FORCE =
            new Method<>(
                    189,
                    "force",
                    ForceObjectRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("a ticket to read"));

    /** The same of everything that the node holds. */
    public static final Method<ForceAllRequest, Empty> FORCE_ALL =
            new Method<>(
                    190,
                    "force-all",
                    ForceAllRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    CLIENTS);

    public static final Method<StatObjectRequest, ChainOutcome> STAT =
            new Method<>(
                    103,
                    "stat",
                    StatObjectRequest.parser(),
                    ChainOutcome.parser(),
                    Retry.IDEMPOTENT,
                    FILES.and(Role.METASERVER).and(Role.SCHEDULER).needing("a ticket"));
    public static final Method<TruncateObjectRequest, ChainOutcome> TRUNCATE =
            new Method<>(
                    104,
                    "truncate",
                    TruncateObjectRequest.parser(),
                    ChainOutcome.parser(),
                    Retry.IDEMPOTENT,
                    FILES.and(Role.METASERVER).needing("a ticket to write"));
    public static final Method<AllocateObjectRequest, ChainOutcome> ALLOCATE =
            new Method<>(
                    105,
                    "allocate",
                    AllocateObjectRequest.parser(),
                    ChainOutcome.parser(),
                    Retry.IDEMPOTENT,
                    FILES.and(Role.METASERVER).needing("a ticket to write"));
    public static final Method<SeekObjectRequest, SeekObjectReply> SEEK =
            new Method<>(
                    106,
                    "seek",
                    SeekObjectRequest.parser(),
                    SeekObjectReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("a ticket to read"));
    public static final Method<CopyRangeRequest, ChainOutcome> COPY_RANGE =
            new Method<>(
                    107,
                    "copy-range",
                    CopyRangeRequest.parser(),
                    ChainOutcome.parser(),
                    Retry.IDEMPOTENT,
                    CLIENTS.needing("a ticket to write, and one to read the source"));
    public static final Method<OpenLocalRequest, OpenLocalReply> OPEN_LOCAL =
            new Method<>(
                    108,
                    "open-local",
                    OpenLocalRequest.parser(),
                    OpenLocalReply.parser(),
                    Retry.ONCE,
                    HERE.needing("a ticket"));
    public static final Method<CloseLocalRequest, Empty> CLOSE_LOCAL =
            new Method<>(
                    109,
                    "close-local",
                    CloseLocalRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    HERE);
    public static final Method<StageRequest, StageReply> STAGE =
            new Method<>(
                    110,
                    "stage",
                    StageRequest.parser(),
                    StageReply.parser(),
                    Retry.IDEMPOTENT,
                    HERE);

    public static final Method<ReplicateObjectRequest, ReplicateObjectReply> REPLICATE_OBJECT =
            new Method<>(
                            120,
                            "replicate-object",
                            ReplicateObjectRequest.parser(),
                            ReplicateObjectReply.parser(),
                            Retry.IDEMPOTENT,
                            COMMANDS)
                    .thatWaits();
    public static final Method<DeleteObjectsRequest, DeleteObjectsReply> DELETE_OBJECTS =
            new Method<>(
                            121,
                            "delete-objects",
                            DeleteObjectsRequest.parser(),
                            DeleteObjectsReply.parser(),
                            Retry.IDEMPOTENT,
                            COMMANDS)
                    .withBulk();
    public static final Method<SealObjectRequest, SealObjectReply> SEAL_OBJECT =
            new Method<>(
                    122,
                    "seal-object",
                    SealObjectRequest.parser(),
                    SealObjectReply.parser(),
                    Retry.IDEMPOTENT,
                    COMMANDS);
    public static final Method<VerifyObjectRequest, VerifyObjectReply> VERIFY_OBJECT =
            new Method<>(
                            123,
                            "verify-object",
                            VerifyObjectRequest.parser(),
                            VerifyObjectReply.parser(),
                            Retry.IDEMPOTENT,
                            COMMANDS)
                    .thatWaits();
    public static final Method<FindObjectsRequest, FindObjectsReply> FIND_OBJECTS =
            new Method<>(
                            125,
                            "find-objects",
                            FindObjectsRequest.parser(),
                            FindObjectsReply.parser(),
                            Retry.IDEMPOTENT,
                            COMMANDS)
                    .withBulk();
    public static final Method<NodeControlCommand, NodeControlAnswer> NODE_COMMAND =
            new Method<>(
                    124,
                    "node-command",
                    NodeControlCommand.parser(),
                    NodeControlAnswer.parser(),
                    Retry.ONCE,
                    COMMANDS);

    /**
     * Answered when the task has ended; asking again for the same attempt waits for the same run
     * and never starts a second one.
     */
    public static final Method<RunTaskRequest, RunTaskReply> RUN_TASK =
            new Method<>(
                            140,
                            "run-task",
                            RunTaskRequest.parser(),
                            RunTaskReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.SCHEDULER))
                    .withBulk()
                    .thatWaits();

    /** Replaces the file at once; a task that has ended has no use for it. */
    public static final Method<RenewTaskProxyRequest, Empty> RENEW_TASK_PROXY =
            new Method<>(
                    148,
                    "renew-task-proxy",
                    RenewTaskProxyRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.SCHEDULER));

    public static final Method<KillTaskRequest, Empty> KILL_TASK =
            new Method<>(
                    141,
                    "kill-task",
                    KillTaskRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.SCHEDULER));
    public static final Method<Empty, ListTasksReply> LIST_TASKS =
            new Method<>(
                    142,
                    "list-tasks",
                    Empty.parser(),
                    ListTasksReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.SCHEDULER));

    /** What a task has written so far, or wrote. */
    public static final Method<ReadTaskOutputRequest, ReadTaskOutputReply> READ_TASK_OUTPUT =
            new Method<>(
                            143,
                            "read-task-output",
                            ReadTaskOutputRequest.parser(),
                            ReadTaskOutputReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.SCHEDULER))
                    .thatWaits();

    /** A piece of the standard input of a task that runs; the same piece twice is one. */
    public static final Method<WriteTaskInputRequest, WriteTaskInputReply> WRITE_TASK_INPUT =
            new Method<>(
                            149,
                            "write-task-input",
                            WriteTaskInputRequest.parser(),
                            WriteTaskInputReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.SCHEDULER))
                    .thatWaits();

    private StorageMethods() {}
}
