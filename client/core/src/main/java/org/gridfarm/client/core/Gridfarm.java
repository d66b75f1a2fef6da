package org.gridfarm.client.core;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.SessionSettings;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.ListNodesReply;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ReplicateReply;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.SetPolicy;
import org.gridfarm.protocol.wire.StatFsReply;

/**
 * A farm, for programs: blocking calls on paths. Thread-safe. Every failure is a {@link FarmException} whose subject is the path that was given; every call
 * ends within the configured time-out (10 s) unless it says that it waits. A change of the namespace is durable, and seen by every client, when its
 * call returns.
 */
public final class Gridfarm implements AutoCloseable {
    private static final int PAGE_ENTRIES = 1_000;
    private static final int DIRECTORY_MODE = 0777;
    private static final long CACHE_BYTES = 64L << 20;

    private final ClientConfig config;
    private final Loops loops;
    private final RpcClient dialer;
    private final FarmSession session;
    private final MetadataClient metadata;

    private Gridfarm(
            ClientConfig config, Loops loops, RpcClient dialer, FarmSession session, MetadataClient metadata) {
        this.config = config;
        this.loops = loops;
        this.dialer = dialer;
        this.session = session;
        this.metadata = metadata;
    }

    /** Connects. UNAVAILABLE: no metaserver answers; NOT_AUTHENTICATED: one of the two does not know the other. */
    public static Gridfarm open(ClientConfig config) {
        Clock clock = Clock.system();
        Loops loops = Loops.start("gf-client");
        ChannelSecurity security = config.security().open(clock, loops.handshakes());
        RpcClient dialer = new RpcClient(loops, security, ExpectedServer.metaserver());
        String client = System.getProperty("user.name") + ":" + ProcessHandle.current().pid();
        FarmSession session = new FarmSession(
                new SessionSettings(config.metaservers(), client, config.node(), config.timeout()),
                dialer,
                clock,
                Entropy.system());
        MetadataClient metadata = new MetadataClient(session, CACHE_BYTES);
        Gridfarm farm = new Gridfarm(config, loops, dialer, session, metadata);
        try {
            join(session.open(), "connect", config.metaservers().toString());
            return farm;
        } catch (FarmException e) {
            farm.close();
            throw e;
        }
    }

    /** The namespace by inode number, asynchronously: what a mount stands on. */
    public Metadata metadata() {
        return metadata;
    }

    // ---- the namespace ----------------------------------------------------------------------------------------------------------------

    /** Attributes; of what a symbolic link leads to. */
    public Attributes stat(FarmPath path) {
        return resolve(path, true, "stat").getAttributes();
    }

    /** Attributes; of a symbolic link itself. */
    public Attributes statLink(FarmPath path) {
        return resolve(path, false, "stat").getAttributes();
    }

    public boolean exists(FarmPath path) {
        try {
            resolve(path, false, "stat");
            return true;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return false;
            }
            throw e;
        }
    }

    /** Everything in a directory, with attributes, in no particular order. Entries made or removed meanwhile may be there or not. */
    public List<DirectoryEntry> list(FarmPath path) {
        long directory = stat(path).getInode();
        List<DirectoryEntry> entries = new ArrayList<>();
        long cookie = 0;
        while (true) {
            DirectoryPage page =
                    join(metadata.list(metadata.self(), directory, cookie, PAGE_ENTRIES, true), "list", path.toString());
            entries.addAll(page.entries());
            if (page.end() || page.entries().isEmpty()) {
                return entries;
            }
            cookie = page.entries().get(page.entries().size() - 1).getCookie();
        }
    }

    /** Mode 777 less the usual umask of 022. */
    public void makeDirectory(FarmPath path) {
        long parent = parent(path, "mkdir");
        join(metadata.mkdir(metadata.self(), parent, path.last(), DIRECTORY_MODE, 022), "mkdir", path.toString());
    }

    /** With all missing parents; what is there already is no mistake. */
    public void makeDirectories(FarmPath path) {
        if (path.isRoot()) {
            return;
        }
        try {
            makeDirectory(path);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) {
                makeDirectories(path.parent());
                makeDirectories(path);
            } else if (e.kind() != ErrorKind.ALREADY_EXISTS || stat(path).getType() != FileType.DIRECTORY) {
                throw e;
            }
        }
    }

    /** A file, or an empty directory. */
    public void delete(FarmPath path) {
        ResolveReply found = resolve(path, false, "delete");
        boolean directory = found.getAttributes().getType() == FileType.DIRECTORY;
        CompletableFuture<?> done =
                directory
                        ? metadata.rmdir(metadata.self(), found.getParent(), path.last())
                        : metadata.unlink(metadata.self(), found.getParent(), path.last());
        join(done, "delete", path.toString());
    }

    /** With everything below. Not atomic: what was removed stays removed when a failure ends it. */
    public void deleteRecursively(FarmPath path) {
        if (statLink(path).getType() == FileType.DIRECTORY) {
            for (DirectoryEntry entry : list(path)) {
                deleteRecursively(path.child(Name.of(entry.getName().toByteArray())));
            }
        }
        delete(path);
    }

    /** As rename(2): an existing file, or empty directory, is replaced atomically. */
    public void rename(FarmPath from, FarmPath to) {
        long fromParent = parent(from, "rename");
        long toParent = parent(to, "rename");
        join(
                metadata.rename(metadata.self(), fromParent, from.last(), toParent, to.last(), false, false),
                "rename",
                from.toString());
    }

    public void makeSymbolicLink(FarmPath path, String target) {
        long parent = parent(path, "symlink");
        join(metadata.symlink(metadata.self(), parent, path.last(), ByteString.copyFromUtf8(target)), "symlink", path.toString());
    }

    public String readSymbolicLink(FarmPath path) {
        return join(metadata.readLink(statLink(path).getInode()), "readlink", path.toString()).toStringUtf8();
    }

    /** Paths that match the pattern, sorted; in each component * ? and [...] stand for what they do in a shell. */
    public List<FarmPath> glob(String pattern) {
        return new Glob(this, pattern).expand();
    }

    // ---- replicas and nodes -------------------------------------------------------------------------------------------------------------

    /** Replica level, groups and striping of a file, or of what will be made in a directory. The inode of the policy is filled in. */
    public void setPolicy(FarmPath path, SetPolicy policy) {
        SetPolicy about = policy.toBuilder().setInode(stat(path).getInode()).build();
        join(metadata.setPolicy(metadata.self(), about), "set policy", path.toString());
    }

    /** Which nodes hold the file. */
    public LocateReply locate(FarmPath path) {
        Attributes attributes = stat(path);
        if (attributes.getType() != FileType.REGULAR) {
            throw new FarmException(ErrorKind.INVALID, "locate", path.toString(), "only files have replicas");
        }
        return join(metadata.locate(metadata.self(), attributes.getInode(), false), "locate", path.toString());
    }

    /** Makes a copy on one node, or drops the one there; empty texts ask for neither. Returns when it is done. */
    public ReplicateReply replicate(FarmPath path, String toNode, String dropNode) {
        return replicate(path, toNode, dropNode, false);
    }

    /** Waits, beyond the usual time-out, until the file has as many copies as its level asks for. */
    public ReplicateReply awaitReplicas(FarmPath path) {
        while (true) {
            ReplicateReply reply = replicate(path, "", "", true);
            if (reply.getLive() >= reply.getWanted()) {
                return reply;
            }
        }
    }

    private ReplicateReply replicate(FarmPath path, String toNode, String dropNode, boolean wait) {
        ReplicateRequest request = ReplicateRequest.newBuilder()
                .setSession(session.id())
                .setInode(stat(path).getInode())
                .setToNode(toNode)
                .setDropNode(dropNode)
                .setWaitLevel(wait)
                .build();
        return join(session.leader(MetadataMethods.REPLICATE, request), "replicate", path.toString());
    }

    public List<NodeInfo> nodes() {
        return join(nodesAsync(), "list", "nodes");
    }

    public CompletableFuture<List<NodeInfo>> nodesAsync() {
        return session.leader(MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .thenApply(ListNodesReply::getNodesList);
    }

    public ClusterStatusReply status() {
        return join(
                session.leader(MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance()), "ask", "status");
    }

    public StatFsReply statFs(FarmPath path) {
        return join(metadata.statFs(stat(path).getInode()), "df", path.toString());
    }

    /** True when this client may act for others: a trusted mount. */
    public boolean mayAssert() {
        return session.mayAssert();
    }

    /** A connection to the scheduler at that address, with this client's credential. */
    public Peer dialScheduler(String address) {
        return join(dialer.expecting(ExpectedServer.scheduler()).dial(HostPort.parse(address)), "connect", "scheduler " + address);
    }

    public ClientConfig config() {
        return config;
    }

    @Override
    public void close() {
        session.close();
        loops.close();
    }

    private long parent(FarmPath path, String operation) {
        return resolve(path.parent(), true, operation).getAttributes().getInode();
    }

    private ResolveReply resolve(FarmPath path, boolean follow, String operation) {
        ResolveReply reply = join(
                metadata.resolve(metadata.self(), metadata.root(), ByteString.copyFrom(path.bytes()), follow),
                operation,
                path.toString());
        if (!reply.getFound()) {
            throw new FarmException(ErrorKind.NOT_FOUND, operation, path.toString());
        }
        return reply;
    }

    /** Waits, and tells the failure of what the person named. */
    static <T> T join(CompletableFuture<T> future, String operation, String subject) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw FarmException.of(e, operation, subject).about(operation, subject);
        }
    }
}
