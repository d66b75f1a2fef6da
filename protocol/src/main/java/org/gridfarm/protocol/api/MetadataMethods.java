package org.gridfarm.protocol.api;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.wire.*;

/**
 * What a metaserver answers, in the order a reader should learn it: sessions, reads (any server),
 * mutations and opens (leader only), locks, the recall it pushes, administration, and what storage
 * nodes and caches say to it. Shapes are in {@code metadata.proto}, {@code storage.proto} and
 * {@code changes.proto}. Mutations carry (session, sequence) and are safe to repeat.
 */
public final class MetadataMethods {
    private static final Access FILES = Access.CLIENTS.inItsSession().judgedByScopes();

    /** The scheduler looks where inputs lie. */
    private static final Access LOOKERS = FILES.and(Role.SCHEDULER);

    public static final Method<OpenSessionRequest, OpenSessionReply> OPEN_SESSION =
            new Method<>(
                    1,
                    "open-session",
                    OpenSessionRequest.parser(),
                    OpenSessionReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.CLIENTS
                            .and(Role.SCHEDULER)
                            .freeOfScopes()
                            .needing("a session of the same name"));
    public static final Method<RenewRequest, RenewReply> RENEW =
            new Method<>(
                    2,
                    "renew",
                    RenewRequest.parser(),
                    RenewReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.CLIENTS
                            .and(Role.SCHEDULER)
                            .freeOfScopes()
                            .needing("a session of the same name"));
    public static final Method<CloseSessionRequest, Empty> CLOSE_SESSION =
            new Method<>(
                    3,
                    "close-session",
                    CloseSessionRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.CLIENTS.and(Role.SCHEDULER).inItsSession().freeOfScopes());

    public static final Method<LookupRequest, LookupReply> LOOKUP =
            new Method<>(
                    10,
                    "lookup",
                    LookupRequest.parser(),
                    LookupReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("x of the directory"));
    public static final Method<GetAttributesRequest, GetAttributesReply> GET_ATTRIBUTES =
            new Method<>(
                    11,
                    "get-attributes",
                    GetAttributesRequest.parser(),
                    GetAttributesReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("x of the way to it"));
    public static final Method<ResolveRequest, ResolveReply> RESOLVE =
            new Method<>(
                    12,
                    "resolve",
                    ResolveRequest.parser(),
                    ResolveReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("x of the directories"));
    public static final Method<ReadDirectoryRequest, ReadDirectoryReply> READ_DIRECTORY =
            new Method<>(
                    13,
                    "read-directory",
                    ReadDirectoryRequest.parser(),
                    ReadDirectoryReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("r of the directory"));
    public static final Method<ReadLinkRequest, ReadLinkReply> READ_LINK =
            new Method<>(
                    14,
                    "read-link",
                    ReadLinkRequest.parser(),
                    ReadLinkReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("x of the way to it"));
    public static final Method<GetXattrRequest, GetXattrReply> GET_XATTR =
            new Method<>(
                    15,
                    "get-xattr",
                    GetXattrRequest.parser(),
                    GetXattrReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("r for user.*, else x of the way to it"));
    public static final Method<ListXattrRequest, ListXattrReply> LIST_XATTR =
            new Method<>(
                    16,
                    "list-xattr",
                    ListXattrRequest.parser(),
                    ListXattrReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("x of the way to it"));
    public static final Method<StatFsRequest, StatFsReply> STAT_FS =
            new Method<>(
                    17,
                    "stat-fs",
                    StatFsRequest.parser(),
                    StatFsReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.freeOfScopes());
    public static final Method<LocateRequest, LocateReply> LOCATE =
            new Method<>(
                    18,
                    "locate",
                    LocateRequest.parser(),
                    LocateReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.needing("x of the way to it; r for tickets"));

    public static final Method<MutateRequest, MutateReply> MUTATE =
            new Method<>(
                    30,
                    "mutate",
                    MutateRequest.parser(),
                    MutateReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("as the system call"));

    /** So many accesses may be told at once. */
    public static final int ACCESSES_MAX = 4096;

    public static final Method<AccessedRequest, AccessedReply> ACCESSED =
            new Method<>(
                    31,
                    "accessed",
                    AccessedRequest.parser(),
                    AccessedReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("r"));

    /** So many commands are shipped at once; all of them are decided in one go. */
    public static final int SHIPPED_MAX = 512;

    public static final Method<ShipRequest, ShipReply> SHIP =
            new Method<>(
                            32,
                            "ship",
                            ShipRequest.parser(),
                            ShipReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.MOUNT)
                                    .inItsSession()
                                    .needing("directories that are delegated to the session"))
                    .withBulk();

    /** So many entries may a directory have that is delegated after it was made. */
    public static final int DELEGATED_ENTRIES_MAX = 8192;

    /** A repetition is refused like any directory that somebody has: nobody need ask twice. */
    public static final Method<DelegateRequest, DelegateReply> DELEGATE =
            new Method<>(
                    33,
                    "delegate",
                    DelegateRequest.parser(),
                    DelegateReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.MOUNT).inItsSession());

    public static final Method<OpenRequest, OpenReply> OPEN =
            new Method<>(
                    40,
                    "open",
                    OpenRequest.parser(),
                    OpenReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("rwx as asked, x of the way to it"));
    public static final Method<CloseRequest, Empty> CLOSE =
            new Method<>(
                            41,
                            "close",
                            CloseRequest.parser(),
                            Empty.parser(),
                            Retry.IDEMPOTENT,
                            FILES.freeOfScopes().needing("an own handle"))
                    .withBulk();
    public static final Method<ChainFailureRequest, OpenReply> CHAIN_FAILURE =
            new Method<>(
                    42,
                    "chain-failure",
                    ChainFailureRequest.parser(),
                    OpenReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.freeOfScopes().needing("an own handle, for writing"));
    public static final Method<RefreshRequest, OpenReply> REFRESH =
            new Method<>(
                    43,
                    "refresh",
                    RefreshRequest.parser(),
                    OpenReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("an own handle, or what OPEN needs"));

    /**
     * Setting and clearing; a waiting request is parked at the server and given up by cancelling
     * the call.
     */
    public static final Method<LockRequest, LockReply> LOCK =
            new Method<>(
                            50,
                            "lock",
                            LockRequest.parser(),
                            LockReply.parser(),
                            Retry.IDEMPOTENT,
                            FILES.needing("the file open, or r or w"))
                    .thatWaits();

    public static final Method<LockRequest, LockReply> TEST_LOCK =
            new Method<>(
                    51,
                    "test-lock",
                    LockRequest.parser(),
                    LockReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("the file open, or r or w"));

    /** So many locks are told at once. */
    public static final int LOCKS_TOLD_MAX = 4096;

    /** Of the session of the caller, which the request does not name: nobody is told of another. */
    public static final Method<HeldLocksRequest, HeldLocksReply> HELD_LOCKS =
            new Method<>(
                    52,
                    "held-locks",
                    HeldLocksRequest.parser(),
                    HeldLocksReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.freeOfScopes().needing("an own session"));

    /** Server to client. */
    public static final Method<RecallRequest, Empty> RECALL =
            new Method<>(
                            60,
                            "recall",
                            RecallRequest.parser(),
                            Empty.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.METASERVER))
                    .withBulk();

    public static final Method<RegisterNodeRequest, RegisterNodeReply> REGISTER_NODE =
            new Method<>(
                    70,
                    "register-node",
                    RegisterNodeRequest.parser(),
                    RegisterNodeReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.NODE).needing("the node of that name"));
    public static final Method<HeartbeatRequest, HeartbeatReply> HEARTBEAT =
            new Method<>(
                    71,
                    "heartbeat",
                    HeartbeatRequest.parser(),
                    HeartbeatReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.NODE).needing("the node of that name"));
    public static final Method<InventoryRequest, InventoryReply> INVENTORY =
            new Method<>(
                            72,
                            "inventory",
                            InventoryRequest.parser(),
                            InventoryReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.NODE).needing("the node of that name"))
                    .withBulk();

    public static final Method<ListNodesRequest, ListNodesReply> LIST_NODES =
            new Method<>(
                    80,
                    "list-nodes",
                    ListNodesRequest.parser(),
                    ListNodesReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.freeOfScopes());
    public static final Method<NodeControlRequest, NodeControlReply> NODE_CONTROL =
            new Method<>(
                    81,
                    "node-control",
                    NodeControlRequest.parser(),
                    NodeControlReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE
                            .inItsSession()
                            .withFullProxy()
                            .needing("an administrator, but for status"));
    public static final Method<ClusterStatusRequest, ClusterStatusReply> CLUSTER_STATUS =
            new Method<>(
                    82,
                    "cluster-status",
                    ClusterStatusRequest.parser(),
                    ClusterStatusReply.parser(),
                    Retry.IDEMPOTENT,
                    LOOKERS.freeOfScopes());
    public static final Method<ListReplicasRequest, ListReplicasReply> LIST_REPLICAS =
            new Method<>(
                    83,
                    "list-replicas",
                    ListReplicasRequest.parser(),
                    ListReplicasReply.parser(),
                    Retry.IDEMPOTENT,
                    FILES.needing("of a file: x of the way to it; else an administrator"));
    public static final Method<ReplicateRequest, ReplicateReply> REPLICATE =
            new Method<>(
                            84,
                            "replicate",
                            ReplicateRequest.parser(),
                            ReplicateReply.parser(),
                            Retry.IDEMPOTENT,
                            FILES.withFullProxy().needing("w for a copy more or less"))
                    .thatWaits();

    /** Answered when the copy is there. */
    public static final Method<SpreadRequest, ReplicateReply> SPREAD =
            new Method<>(
                            87,
                            "spread",
                            SpreadRequest.parser(),
                            ReplicateReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.SCHEDULER).inItsSession().needing("r of its user"))
                    .thatWaits();

    public static final Method<AdminRequest, AdminReply> ADMIN =
            new Method<>(
                    85,
                    "admin",
                    AdminRequest.parser(),
                    AdminReply.parser(),
                    Retry.ONCE,
                    Access.PEOPLE
                            .inItsSession()
                            .withFullProxy()
                            .needing("an administrator, but for own quotas"));

    /** Cache to leader. */
    public static final Method<FollowRequest, FollowReply> FOLLOW =
            new Method<>(
                            90,
                            "follow",
                            FollowRequest.parser(),
                            FollowReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.METASERVER))
                    .withBulk();

    public static final Method<SnapshotRequest, SnapshotReply> SNAPSHOT =
            new Method<>(
                            91,
                            "snapshot",
                            SnapshotRequest.parser(),
                            SnapshotReply.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.METASERVER))
                    .withBulk();

    /**
     * Answered when every session has told of what it had made, among which the inode may be. For
     * whoever knows nothing but its number, as a handle of NFS does; that is a kernel's, and not
     * everybody has all mounts tell what they have at any time.
     */
    public static final Method<FindNumberRequest, Empty> FIND_NUMBER =
            new Method<>(
                    98,
                    "find-number",
                    FindNumberRequest.parser(),
                    Empty.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.MOUNT).inItsSession());

    /** Cache to leader. */
    public static final Method<GiveBackRequest, GiveBackReply> GIVE_BACK =
            new Method<>(
                    97,
                    "give-back",
                    GiveBackRequest.parser(),
                    GiveBackReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.METASERVER));

    public static final Method<CacheStatus, CacheLeaseReply> CACHE_LEASE =
            new Method<>(
                    92,
                    "cache-lease",
                    CacheStatus.parser(),
                    CacheLeaseReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.METASERVER));

    /** Leader to cache. */
    public static final Method<PrepareBatch, PrepareReply> PREPARE =
            new Method<>(
                            93,
                            "prepare",
                            PrepareBatch.parser(),
                            PrepareReply.parser(),
                            Retry.ONCE,
                            Access.of(Role.METASERVER))
                    .withBulk();

    public static final Method<CommitBatch, Empty> COMMIT =
            new Method<>(
                            94,
                            "commit",
                            CommitBatch.parser(),
                            Empty.parser(),
                            Retry.ONCE,
                            Access.of(Role.METASERVER))
                    .withBulk();

    /** Reads whole replicas where no digest is known: may take long. */
    public static final Method<SumRequest, SumReply> SUM =
            new Method<>(
                            95,
                            "sum",
                            SumRequest.parser(),
                            SumReply.parser(),
                            Retry.IDEMPOTENT,
                            FILES.needing("r"))
                    .thatWaits();

    /** So many names are asked for at once. */
    public static final int NAMES_MAX = 1000;

    public static final Method<AccountNumbersRequest, AccountNumbersReply> ACCOUNT_NUMBERS =
            new Method<>(
                    96,
                    "account-numbers",
                    AccountNumbersRequest.parser(),
                    AccountNumbersReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.MOUNT).inItsSession());

    private MetadataMethods() {}
}
