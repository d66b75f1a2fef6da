package org.gridfarm.client.core.metadata;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Access;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.gridfarm.protocol.wire.MakeTemporary;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetPolicy;
import org.gridfarm.protocol.wire.SetXattr;
import org.gridfarm.protocol.wire.StatFsReply;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The namespace by inode number. Thread-safe; nothing here blocks.
 *
 * <p>Futures fail with a {@link org.gridfarm.protocol.error.FarmException} and nothing else; its
 * subject is the inode in hexadecimal or the name, which callers replace by what their user gave
 * ({@code failure.about(...)}). Every call ends within the operation deadline of the client (10 s
 * unless configured), a change of leader included. Futures complete on network threads: what is
 * chained to them must not block.
 *
 * <p>{@code who} is on whose behalf: a trusted mount names the calling process' user; everybody
 * else passes {@link #self()} (the server ignores what an untrusted client claims). What is served
 * from cache is not checked against {@code who}: the caller (the kernel with {@code
 * default_permissions}) does.
 */
public interface Metadata {
    /**
     * What {@link #cachedLookup} answers for a name that is known not to exist; compared by
     * identity.
     */
    Attributes ABSENT = Attributes.newBuilder().setInode(0).build();

    /** Number of the root directory. */
    long root();

    /** This session on every server; also the key of the tickets made for it. */
    long session();

    /**
     * Completes when every change that was answered is durable: at once, but for those that this
     * client decides by itself.
     */
    CompletableFuture<Void> durable();

    /** The user whom the servers know this client as. */
    Credentials self();

    // ---- served from leased caches, inline
    // ------------------------------------------------------------------------------------------

    /** Attributes under a valid lease, or null: ask {@link #attributes}. Allocates nothing. */
    @Nullable Attributes cachedAttributes(long inode);

    /**
     * As {@link #cachedAttributes}, also of a file that is being written: size and times are then
     * those of some moment before, all else is as it is now.
     */
    @Nullable Attributes leasedAttributes(long inode);

    /**
     * Attributes of the entry if both entry and attributes are under a valid lease, {@link #ABSENT}
     * if the name is known not to exist, null: ask {@link #lookup}.
     */
    @Nullable Attributes cachedLookup(long parent, Name name);

    /** What is in the directory is known, all or some of it, under a valid lease. */
    boolean isListed(long directory);

    /**
     * The next recall of the directory names this, so that the kernel may go on to believe what it
     * did itself with the name.
     */
    boolean isTold(long directory, Name name);

    /**
     * Grows whenever something is recalled or the lease is lost. A reply to the kernel may carry a
     * time-out only if this has not changed since before the read it was built from was started.
     */
    long recallStamp();

    /**
     * Nanoseconds for which what is cached now may still be believed; 0: no lease at this moment.
     * Kernel time-outs never exceed it.
     */
    long leaseNanosLeft();

    // ---- reads
    // ------------------------------------------------------------------------------------------------------------------------

    /**
     * The name in the directory; a missing name is an answer ({@link Found#absent()}), not a
     * failure.
     */
    CompletableFuture<Found> lookup(Credentials who, long parent, Name name);

    /**
     * Attributes; of a file that is open for writing anywhere, size and times as they stand at this
     * moment. NOT_FOUND: no such inode (STALE).
     */
    CompletableFuture<Found> attributes(long inode);

    /**
     * The same of an inode that only its number leads to, which whoever made it may not have told
     * to any server yet.
     */
    CompletableFuture<Found> attributesByNumber(long inode);

    /**
     * Walks a path (relative to {@code start}, or absolute) in one round trip; see {@code
     * ResolveReply}.
     */
    CompletableFuture<ResolveReply> resolve(
            Credentials who, long start, ByteString path, boolean followLast);

    /**
     * One page of a directory behind the cookie (0: from the start), in cookie order, without "."
     * and "..". With attributes each entry carries them (readdirplus) and they are cached as by
     * {@link #lookup}.
     */
    CompletableFuture<DirectoryPage> list(
            Credentials who, long directory, long cookie, int limit, boolean withAttributes);

    CompletableFuture<ByteString> readLink(long inode);

    /** NO_ATTRIBUTE when there is none of that name. */
    CompletableFuture<ByteString> getXattr(Credentials who, long inode, ByteString name);

    CompletableFuture<List<ByteString>> listXattr(Credentials who, long inode);

    CompletableFuture<StatFsReply> statFs(long inode);

    /** Replicas of every object of a file; with read tickets when asked. */
    CompletableFuture<LocateReply> locate(Credentials who, long inode, boolean tickets);

    /**
     * Tells when inodes were read, each once; the farm moves their access times by the rule of
     * relatime. At most {@link org.gridfarm.protocol.api.MetadataMethods#ACCESSES_MAX} at once.
     */
    CompletableFuture<Void> accessed(Collection<Access> accesses);

    // ---- mutations: durable, and known to every cache, when the future completes
    // --------------------------------------------------------

    /**
     * {@code file.open} absent: no handle. Opening by this call is for {@code Transfer.create};
     * others leave it absent.
     */
    CompletableFuture<MutateReply> create(Credentials who, CreateFile file);

    CompletableFuture<MutateReply> temporary(Credentials who, MakeTemporary file);

    CompletableFuture<MutateReply> mkdir(
            Credentials who, long parent, Name name, int mode, int umask);

    CompletableFuture<MutateReply> symlink(
            Credentials who, long parent, Name name, ByteString target);

    /** FIFO, socket, device or regular file without content. */
    CompletableFuture<MutateReply> mknod(
            Credentials who, long parent, Name name, int mode, int umask, FileType type, int rdev);

    CompletableFuture<MutateReply> link(Credentials who, long inode, long parent, Name name);

    CompletableFuture<MutateReply> unlink(Credentials who, long parent, Name name);

    CompletableFuture<MutateReply> rmdir(Credentials who, long parent, Name name);

    CompletableFuture<MutateReply> rename(
            Credentials who,
            long parent,
            Name name,
            long toParent,
            Name toName,
            Set<RenameFlag> flags);

    /**
     * Anything but the size of a file with content: that is {@code FileHandle.truncate} or {@code
     * Transfer.truncate}.
     */
    CompletableFuture<MutateReply> setAttributes(Credentials who, SetAttributes change);

    CompletableFuture<MutateReply> setXattr(Credentials who, SetXattr change);

    CompletableFuture<MutateReply> removeXattr(Credentials who, long inode, ByteString name);

    CompletableFuture<MutateReply> setPolicy(Credentials who, SetPolicy policy);

    // ---- locks
    // -----------------------------------------------------------------------------------------------------------------------

    /**
     * Sets or clears a lock; session is filled in. With {@code wait} the future stays open until
     * the lock is granted: cancelling it withdraws the request (a grant that crosses the
     * cancellation is given back). Locks held are re-established after a fail-over.
     */
    CompletableFuture<LockReply> lock(LockRequest request);

    /** Ranges of the file that this owner was granted through this client and has not given up. */
    int lockedRanges(long inode, long owner, boolean flock);

    /** What stands in the way, if anything. */
    CompletableFuture<LockReply> testLock(LockRequest request);

    // ---- recalls
    // ---------------------------------------------------------------------------------------------------------------------

    /**
     * Told of everything that leaves the caches, after it left those of this class. At most a few;
     * never removed.
     */
    void onRecall(RecallListener listener);

    /**
     * Told of what this client changes itself, which is never recalled from it. At most a few;
     * never removed.
     */
    void onChange(ChangeListener listener);
}
