package org.gridfarm.client.core;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.RestoredFile;
import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.attributes.Nanos;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A farm, as a program of one user sees it. Thread-safe; every method blocks until done, at most
 * for the configured time-out, and an interrupt ends it.
 *
 * <pre>
 * try (Gridfarm farm = Gridfarm.open(ClientConfig.find(Optional.empty()))) {
 *     try (OutputStream out = farm.write(FarmPath.of("/data/x"))) { ... }
 *     farm.list(FarmPath.of("/data")).forEach(System.out::println);
 * }
 * </pre>
 *
 * <p>A change is durable, and seen by every client, when the method returns. Failures are {@link
 * FarmException}s that name the path as it was given; their kind says what went wrong (streams
 * throw {@link java.io.IOException}s caused by them).
 */
public final class Gridfarm implements AutoCloseable {
    /** By then every mount that nobody uses a file of has closed it for good. */
    private static final Duration CLOSED_WITHIN = Duration.ofSeconds(2);

    private static final Executor A_MOMENT_LATER =
            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);

    private static final int PAGE_ENTRIES = 1_000;

    private final FarmConnection connection;
    private final Metadata metadata;
    private final Transfer transfer;
    private final PathWalk walk;
    private final ClientConfig config;

    private Gridfarm(FarmConnection connection, ClientConfig config) {
        this.connection = connection;
        this.config = config;
        metadata = connection.metadata();
        transfer = connection.transfer;
        walk = new PathWalk(metadata);
    }

    /** Connects; fails within the time-out if no metaserver can be reached or it refuses. */
    public static Gridfarm open(ClientConfig config) {
        return open(config, "java@" + ProcessHandle.current().pid());
    }

    /**
     * @param client what the farm's administrator sees as this client's name
     */
    public static Gridfarm open(ClientConfig config, String client) {
        return open(config, client, Inheritance.NONE, OwnDecisions.NONE);
    }

    /**
     * For a program whose next process is to go on where this one was ended. Where the inheritance
     * holds a session, nothing is waited for: say what was open by {@link #restore}, then {@link
     * #resume}.
     */
    public static Gridfarm open(ClientConfig config, String client, Inheritance inheritance) {
        return open(config, client, inheritance, OwnDecisions.NONE);
    }

    /**
     * The same of a program that decides some changes by itself.
     *
     * @param decisions nobody else's
     */
    public static Gridfarm open(
            ClientConfig config, String client, Inheritance inheritance, OwnDecisions decisions) {
        return opened(
                new FarmConnection(config, client, inheritance, decisions), config, inheritance);
    }

    /**
     * With network threads and security of the caller's: for tests and for programs that open
     * several farms. The loops stay the caller's.
     */
    public static Gridfarm open(
            ClientConfig config, String client, Loops loops, ChannelSecurity security) {
        return open(config, client, loops, security, Inheritance.NONE, OwnDecisions.NONE);
    }

    static Gridfarm open(
            ClientConfig config,
            String client,
            Loops loops,
            ChannelSecurity security,
            Inheritance inheritance,
            OwnDecisions decisions) {
        return opened(
                new FarmConnection(config, client, loops, false, security, inheritance, decisions),
                config,
                inheritance);
    }

    /** One that goes on is not waited for: its session may come back later. */
    private static Gridfarm opened(
            FarmConnection connection, ClientConfig config, Inheritance inheritance) {
        if (inheritance.session() != 0) return new Gridfarm(connection, config);
        try {
            Blocking.await(connection.session.open(), "connect to", config.metaservers());
        } catch (FarmException e) {
            connection.close();
            throw e;
        }
        return new Gridfarm(connection, config);
    }

    /**
     * A file that the process before this one had open, under the number it had.
     *
     * @param generation of its content, as it was known
     * @param leaving the file is only to be closed, and may have been already
     */
    public RestoredFile restore(
            Credentials who,
            long inode,
            long handle,
            OpenFlags flags,
            int generation,
            boolean leaving) {
        return connection.transfer.restore(who, inode, handle, flags, generation, leaving);
    }

    /** Goes on with the session; completes when it stands again, with what was restored. */
    public CompletableFuture<Void> resume() {
        return connection.session.open();
    }

    /** The namespace by inode number, asynchronously. */
    public Metadata metadata() {
        return metadata;
    }

    /** For a program that can tell; said before files are opened. */
    public void localCallsBy(LocalCalls calls) {
        connection.transfer.localCallsBy(calls);
    }

    /** Open files by inode number, asynchronously. */
    public Transfer transfer() {
        return transfer;
    }

    public ClientConfig config() {
        return config;
    }

    /** Whom the farm knows this program's user as. */
    public boolean mayAssert() {
        return connection.session.mayAssert();
    }

    public String user() {
        return connection.session.user();
    }

    /**
     * Those that this program's user has in the farm, the present one among them; empty for a host,
     * and where a metaserver of an earlier version does not tell.
     */
    public List<String> accounts() {
        return connection.session.accounts();
    }

    /**
     * What a metaserver said that lets this client in no more, as when its token has run out; empty
     * while the session stands. The client goes on asking, since a token may be renewed.
     */
    public Optional<FarmException> refusal() {
        return connection.session.refusal();
    }

    /** A call to the leading metaserver, for administration. The request must be safe to repeat. */
    public <Q extends MessageLite, R extends MessageLite> R callLeader(
            Method<Q, R> method, Q request) {
        return Blocking.await(connection.session.leader(method, request), method.name(), "");
    }

    /** As above, with a time of its own for calls that wait. */
    public <Q extends MessageLite, R extends MessageLite> R callLeader(
            Method<Q, R> method, Q request, Duration deadline) {
        return Blocking.await(
                connection.session.leader(method, () -> request, deadline), method.name(), "");
    }

    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callLeaderAsync(
            Method<Q, R> method, Q request) {
        return connection.session.leader(method, request);
    }

    /**
     * Reaches schedulers with this client's credentials; their addresses are in {@link #config()}.
     *
     * @throws FarmException ACCESS_DENIED for who came by a token, which schedulers are not shown
     */
    public Dialer schedulerDialer() {
        config.security().requireGoodForJobs();
        return dialer(ExpectedServer.scheduler());
    }

    /** Reaches any server of the farm with this client's credentials, if it is what is expected. */
    public Dialer dialer(ExpectedServer server) {
        return connection.others.expecting(server).as(config.account());
    }

    // ---- looking
    // --------------------------------------------------------------------------------------------------------------------------

    /** Follows a symbolic link at the end. */
    public FileInfo stat(FarmPath path) {
        return new FileInfo(path, Blocking.await(walk.require(path, true, "stat"), "stat", path));
    }

    /** Of the link itself. */
    public FileInfo statLink(FarmPath path) {
        return new FileInfo(path, Blocking.await(walk.require(path, false, "stat"), "stat", path));
    }

    public boolean exists(FarmPath path) {
        try {
            return Blocking.await(walk.find(path, true), "stat", path) != null;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return false;
            }
            throw e;
        }
    }

    /**
     * The entries of a directory with their attributes, fetched page by page as the stream is read.
     */
    public Stream<FileInfo> list(FarmPath directory) {
        return new DirectoryStreams(metadata, PAGE_ENTRIES)
                .list(directory, inode(directory, "list"));
    }

    /** The directory and everything below it, parents first; symbolic links are not followed. */
    public Stream<FileInfo> walk(FarmPath root) {
        FileInfo top = statLink(root);
        Stream<FileInfo> below =
                top.isDirectory()
                        ? list(root)
                                .flatMap(entry ->
                                        entry.isDirectory() ? walk(entry.path()) : Stream.of(entry))
                        : Stream.empty();
        return Stream.concat(Stream.of(top), below);
    }

    /**
     * Paths that match the pattern ({@code * ? [..] {a,b}}, {@code **} over directories), sorted; a
     * pattern without wildcards is itself if it exists.
     */
    public List<FarmPath> glob(String pattern) {
        return new Glob(this).expand(pattern);
    }

    public String readLink(FarmPath link) {
        return byPath(() -> {
            Attributes found =
                    Blocking.await(walk.require(link, false, "readlink"), "readlink", link);
            return NameText.of(
                    Blocking.await(metadata.readLink(found.getInode()), "readlink", link)
                            .toByteArray());
        });
    }

    // ---- contents
    // ---------------------------------------------------------------------------------------------------------------------------

    public FarmFile open(FarmPath path, OpenFlags flags) {
        return open(path, flags, true);
    }

    /**
     * @param follow false: LINK_LOOP where a symbolic link is at the end, as with O_NOFOLLOW
     */
    public FarmFile open(FarmPath path, OpenFlags flags, boolean follow) {
        return byPath(() -> {
            Attributes found = Blocking.await(walk.require(path, follow, "open"), "open", path);
            requireFile(found, path);
            return new FarmFile(
                    path,
                    Blocking.await(
                            transfer.open(metadata.self(), found.getInode(), flags), "open", path));
        });
    }

    /** Makes the file if it is not there; with {@code exclusive} ALREADY_EXISTS if it is. */
    public FarmFile create(FarmPath path, OpenFlags flags, boolean exclusive) {
        return create(path, flags, exclusive, NewMode.FILE, true);
    }

    /**
     * The same with the permissions that the file has from its first moment; one that is there
     * keeps its own.
     *
     * @param follow as {@link #open(FarmPath, OpenFlags, boolean)}
     */
    public FarmFile create(
            FarmPath path, OpenFlags flags, boolean exclusive, NewMode mode, boolean follow) {
        return new FarmFile(path, byPath(() -> createHandle(path, flags, exclusive, mode, follow)));
    }

    private FileHandle createHandle(FarmPath path, OpenFlags flags) {
        return createHandle(path, flags, false, NewMode.FILE, true);
    }

    private FileHandle createHandle(
            FarmPath path, OpenFlags flags, boolean exclusive, NewMode mode, boolean follow) {
        if (!exclusive) {
            // A link at the end is followed, which making a file would not do.
            Attributes there = Blocking.await(walk.find(path, follow), "create", path);
            if (there != null) {
                requireFile(there, path);
                return Blocking.await(
                        transfer.open(metadata.self(), there.getInode(), flags), "create", path);
            }
        }
        long parent = parent(path, "create");
        return Blocking.await(
                transfer.create(
                        metadata.self(),
                        parent,
                        path.last(),
                        mode.bits(),
                        mode.umask(),
                        exclusive,
                        flags),
                "create",
                path);
    }

    static void requireFile(Attributes found, FarmPath path) {
        if (found.getType() == FileType.DIRECTORY) {
            throw new FarmException(ErrorKind.IS_A_DIRECTORY, "open", path.toString());
        }
        if (found.getType() == FileType.SYMLINK) {
            throw new FarmException(
                    ErrorKind.LINK_LOOP, "open", path.toString(), "links are not to be followed");
        }
        if (found.getType() != FileType.REGULAR) {
            throw new FarmException(
                    ErrorKind.UNSUPPORTED, "open", path.toString(), "not a regular file");
        }
    }

    public FarmInputStream read(FarmPath path) {
        return new FarmInputStream(path, open(path, OpenFlags.READ).handle());
    }

    /** Makes the file or empties it. */
    public FarmOutputStream write(FarmPath path) {
        return new FarmOutputStream(
                path, byPath(() -> createHandle(path, OpenFlags.WRITE.truncating())), false);
    }

    /**
     * Makes the file or goes on at its end; whole chunks of up to 1 MiB are appended atomically.
     */
    public FarmOutputStream append(FarmPath path) {
        return new FarmOutputStream(
                path, byPath(() -> createHandle(path, OpenFlags.WRITE.appending())), true);
    }

    public void truncate(FarmPath path, long size) {
        withInode(path, "truncate", inode -> transfer.truncate(metadata.self(), inode, size));
    }

    /** Copies a local file or directory tree into the farm; returns the bytes copied. */
    public long copyIn(Path local, FarmPath target) {
        return new LocalCopy(this).in(local, target);
    }

    /**
     * Copies a file or directory tree of the farm to the local file system; returns the bytes
     * copied.
     */
    public long copyOut(FarmPath source, Path local) {
        return new LocalCopy(this).out(source, local);
    }

    /**
     * Copies a file within the farm, on its nodes where the layouts permit; returns the bytes
     * copied.
     */
    public long copy(FarmPath source, FarmPath target) {
        try (FarmFile from = open(source, OpenFlags.READ);
                FarmFile to = create(target, OpenFlags.WRITE.truncating(), false)) {
            return copy(from, to);
        }
    }

    /** The same of files that are open; the target is written from its begin on. */
    public long copy(FarmFile from, FarmFile to) {
        long size = from.size();
        long at = 0;
        while (at < size) {
            // each part within the time-out
            long copied = to.copyFrom(from, at, at, Math.min(size - at, 64L << 20));
            if (copied == 0) {
                break;
            }
            at += copied;
        }
        return at;
    }

    // ---- names
    // ------------------------------------------------------------------------------------------------------------------------------

    public void mkdir(FarmPath path) {
        mkdir(path, NewMode.DIRECTORY);
    }

    /** With the permissions that it has from its first moment. */
    public void mkdir(FarmPath path, NewMode mode) {
        long parent = parent(path, "mkdir");
        Blocking.await(
                metadata.mkdir(metadata.self(), parent, path.last(), mode.bits(), mode.umask()),
                "mkdir",
                path);
    }

    /** With its parents; an existing directory is fine. */
    public void mkdirs(FarmPath path) {
        if (path.isRoot()) {
            return;
        }
        Attributes found;
        try {
            found = Blocking.await(walk.find(path, true), "mkdir", path);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) {
                throw e;
            }
            mkdirs(path.parent());
            found = null;
        }
        if (found == null) {
            makeUnlessThere(path);
        } else if (found.getType() != FileType.DIRECTORY) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS, "mkdir", path.toString(), "not a directory");
        }
    }

    private void makeUnlessThere(FarmPath path) {
        try {
            mkdir(path);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.ALREADY_EXISTS) { // somebody else was quicker
                throw e;
            }
        }
    }

    public void rename(FarmPath from, FarmPath to) {
        rename(from, to, Set.of());
    }

    public void rename(FarmPath from, FarmPath to, Set<RenameFlag> flags) {
        long fromParent = parent(from, "rename");
        long toParent = parent(to, "rename");
        Blocking.await(
                metadata.rename(
                        metadata.self(), fromParent, from.last(), toParent, to.last(), flags),
                "rename",
                from);
    }

    /** A file, a link or an empty directory. */
    public void delete(FarmPath path) {
        Attributes found = Blocking.await(walk.require(path, false, "delete"), "delete", path);
        long parent = parent(path, "delete");
        CompletableFuture<MutateReply> removed =
                found.getType() == FileType.DIRECTORY
                        ? metadata.rmdir(metadata.self(), parent, path.last())
                        : metadata.unlink(metadata.self(), parent, path.last());
        Blocking.await(removed, "delete", path);
    }

    /** With everything below it. */
    public void deleteRecursively(FarmPath path) {
        new TreeRemoval(this).remove(statLink(path));
    }

    public void symlink(String target, FarmPath link) {
        long parent = parent(link, "symlink");
        Blocking.await(
                metadata.symlink(metadata.self(), parent, link.last(), raw(target)),
                "symlink",
                link);
    }

    /** Another name for an existing file. */
    public void link(FarmPath existing, FarmPath link) {
        byPath(() -> {
            Attributes found =
                    Blocking.await(walk.require(existing, false, "link"), "link", existing);
            long parent = parent(link, "link");
            return Blocking.await(
                    metadata.link(metadata.self(), found.getInode(), parent, link.last()),
                    "link",
                    link);
        });
    }

    // ---- attributes
    // ---------------------------------------------------------------------------------------------------------------------------

    public void chmod(FarmPath path, int mode) {
        change(path, true, AttributeChange.NONE.withMode(mode));
    }

    /** A null stays as it is. */
    public void chown(FarmPath path, @Nullable Integer uid, @Nullable Integer gid) {
        change(path, true, AttributeChange.NONE.withOwner(uid, gid));
    }

    /** A null stays as it is; what the farm cannot hold ({@link Nanos}) becomes the nearest. */
    public void setTimes(FarmPath path, @Nullable Instant accessed, @Nullable Instant modified) {
        change(path, true, AttributeChange.NONE.withTimes(accessed, modified));
    }

    /**
     * All of it in one step.
     *
     * @param follow a symbolic link at the end; otherwise the link itself is changed
     */
    public void change(FarmPath path, boolean follow, AttributeChange change) {
        byPath(() -> {
            Attributes found = Blocking.await(walk.require(path, follow, "change"), "change", path);
            return Blocking.await(
                    metadata.setAttributes(metadata.self(), change.of(found.getInode())),
                    "change",
                    path);
        });
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }

    public Optional<byte[]> getXattr(FarmPath path, String name) {
        try {
            return Optional.of(
                    withInode(
                                    path,
                                    "getxattr",
                                    inode -> metadata.getXattr(metadata.self(), inode, raw(name)))
                            .toByteArray());
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NO_ATTRIBUTE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public void setXattr(FarmPath path, String name, byte[] value) {
        setXattr(path, name, value, false, false);
    }

    /**
     * As setxattr(2): ALREADY_EXISTS where it is there and was to be made, NO_ATTRIBUTE where there
     * is none to be replaced.
     */
    public void setXattr(
            FarmPath path, String name, byte[] value, boolean create, boolean replace) {
        SetXattr.Builder change =
                SetXattr.newBuilder()
                        .setName(raw(name))
                        .setValue(ByteString.copyFrom(value))
                        .setCreate(create)
                        .setReplace(replace);
        withInode(
                path,
                "setxattr",
                inode -> metadata.setXattr(metadata.self(), change.setInode(inode).build()));
    }

    public void removeXattr(FarmPath path, String name) {
        withInode(
                path,
                "removexattr",
                inode -> metadata.removeXattr(metadata.self(), inode, raw(name)));
    }

    public List<String> listXattr(FarmPath path) {
        return withInode(path, "listxattr", inode -> metadata.listXattr(metadata.self(), inode))
                .stream()
                .map(found -> NameText.of(found.toByteArray()))
                .toList();
    }

    // ---- replicas and nodes
    // ---------------------------------------------------------------------------------------------------------------------

    public void setPolicy(FarmPath path, Policy policy) {
        SetPolicy.Builder change = SetPolicy.newBuilder();
        policy.replicas().ifPresent(change::setReplicas);
        policy.groups().ifPresent(change::setGroups);
        policy.stripeCount().ifPresent(change::setStripeCount);
        policy.stripeUnit().ifPresent(change::setStripeUnit);
        withInode(
                path,
                "set policy",
                inode -> metadata.setPolicy(metadata.self(), change.setInode(inode).build()));
    }

    /** Where every object of the file lies. */
    public Layout where(FarmPath path) {
        return withInode(path, "locate", inode -> metadata.locate(metadata.self(), inode, false))
                .getLayout();
    }

    /**
     * Copies the file to a node, or drops the copy there, or waits until its level holds; see
     * {@code ReplicateRequest}.
     */
    public ReplicateReply replicate(
            FarmPath path, String toNode, String dropNode, boolean waitLevel, Duration deadline) {
        ReplicateRequest request =
                ReplicateRequest.newBuilder()
                        .setSession(metadata.session())
                        .setCredentials(metadata.self())
                        .setInode(inode(path, "replicate"))
                        .setToNode(toNode)
                        .setDropNode(dropNode)
                        .setWaitLevel(waitLevel)
                        .build();
        return thoughItRests(
                path,
                () ->
                        Blocking.await(
                                connection.session.leader(
                                        MetadataMethods.REPLICATE, () -> request, deadline),
                                "replicate",
                                path));
    }

    /**
     * The digest of a whole file, see {@code SumRequest}.
     *
     * @param verify every replica is read
     */
    public SumReply sum(FarmPath path, boolean verify, Duration deadline) {
        SumRequest request =
                SumRequest.newBuilder()
                        .setSession(metadata.session())
                        .setCredentials(metadata.self())
                        .setInode(inode(path, "sum"))
                        .setVerify(verify)
                        .build();
        return thoughItRests(
                path,
                () ->
                        Blocking.await(
                                connection.session.leader(
                                        MetadataMethods.SUM, () -> request, deadline),
                                "sum",
                                path));
    }

    /**
     * What mounts have closed may still be open for writing there for a while; when somebody else
     * opens the file they close it for good, each in its time. BUSY when one of them goes on.
     */
    private <T> T thoughItRests(FarmPath path, Supplier<T> call) {
        long began = System.nanoTime();
        while (true) {
            try {
                return call.get();
            } catch (FarmException e) {
                boolean over = System.nanoTime() - began > CLOSED_WITHIN.toNanos();
                if (e.kind() != ErrorKind.BUSY || over) {
                    throw e;
                }
            }
            open(path, OpenFlags.READ).close();
            Blocking.await(CompletableFuture.runAsync(() -> {}, A_MOMENT_LATER), "open", path);
        }
    }

    public List<NodeInfo> nodes() {
        return callLeader(MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .getNodesList();
    }

    /** Space of the farm as a user of this path may count on it. */
    public StatFsReply space(FarmPath path) {
        return Blocking.await(metadata.statFs(inode(path, "statfs")), "statfs", path);
    }

    // ---- within the package
    // -----------------------------------------------------------------------------------------------------------------------

    private <T> T byPath(Supplier<T> call) {
        return Blocking.byPath(config.timeout(), call);
    }

    private <T> T withInode(
            FarmPath path, String operation, LongFunction<CompletableFuture<T>> call) {
        return byPath(() -> Blocking.await(call.apply(inode(path, operation)), operation, path));
    }

    private long inode(FarmPath path, String operation) {
        return Blocking.await(walk.require(path, true, operation), operation, path).getInode();
    }

    private long parent(FarmPath path, String operation) {
        Name last = path.last(); // refuses the root before anything is asked
        return Blocking.await(walk.parent(path, operation), operation, path.parent().child(last))
                .getInode();
    }

    /** Ends the session and closes all connections. Files still open lose what was not flushed. */
    @Override
    public void close() {
        connection.close();
    }
}
