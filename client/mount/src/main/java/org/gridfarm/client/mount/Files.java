package org.gridfarm.client.mount;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenFiles;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.takeover.Numbers;
import org.gridfarm.client.mount.takeover.OpenRecord;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Open files and their contents. A local replica is passed through to the kernel: for readers, and
 * for writers of a file that their open made or emptied, or that has its only replica there.
 * Everything else is direct: the kernel keeps no pages that another client's write would make
 * stale, and those that mappings and splices make it keep are dropped at once where others write.
 */
final class Files {
    private static final Logger log = LoggerFactory.getLogger(Files.class);
    private static final int FMODE_EXEC = 0x20; // linux/fs.h: the open of execve(2)
    private static final int NO_GENERATION = 0;
    private static final CompletableFuture<Void> NOTHING_TO_DO =
            CompletableFuture.completedFuture(null);

    private final Mounted mounted;
    private final Locks locks;
    private final OpenBound bound;
    private final OpenFiles ways = new OpenFiles();
    private final OpenTable open;
    private final PassedReads passed;
    private final Paces paces = new Paces();
    private final OpenWays finding;
    private @Nullable Passthrough engine; // also where nothing more is to be passed through
    private @Nullable KernelCache cache;
    private final Taking taking;

    Files(Mounted mounted, Locks locks, OpenBound bound) {
        this.mounted = mounted;
        this.locks = locks;
        this.bound = bound;
        this.open = new OpenTable(mounted, ways, bound.shares());
        this.passed = new PassedReads(mounted.times());
        this.finding = new OpenWays(ways, passed);
        this.taking = new Taking(mounted, open);
    }

    void started(Connection connection, boolean passesThrough) {
        engine = connection.passthrough();
        open.started(connection.passthrough());
        finding.started(passesThrough ? engine : null);
        cache = connection.cache();
        taking.started(connection.cache());
    }

    Taking taking() {
        return taking;
    }

    /** Of a former process; to be called after {@link #started}. */
    CompletableFuture<Void> restore(OpenRecord record, boolean leaving, OpenTable.Source source) {
        return open.restore(record, leaving, source, Objects.requireNonNull(engine));
    }

    /**
     * The kernel had given it up.
     *
     * @param unlocked nothing is locked through it any more
     */
    void leave(long number, CompletableFuture<Void> unlocked) {
        OpenFile file = open.release(number);
        if (file != null) {
            open.leave(number, file, unlocked);
        }
    }

    // ---- opening and closing
    // --------------------------------------------------------------------------------------------------------

    void open(OpenReply reply, long node, int flags, boolean killSuidGid) {
        long before = open.openedBefore(reply);
        OpenFile there = before == 0 ? null : open.find(before);
        if (there != null) {
            answer(reply, before, there);
            return;
        }
        int user = mounted.user(reply);
        if (!bound.admits(reply, user)) {
            return;
        }
        mounted.seconds().using(reply, node);
        OpenFlags wanted = flags(flags);
        boolean loses = wanted.truncate() && taking.mayBeBelieved(node);
        mounted.transfer()
                .open(mounted.who(reply), node, wanted.truncate() ? flagsOfNew(flags, 0) : wanted)
                .thenCompose(handle ->
                        taking.emptied(reply, handle, loses, killSuidGid)
                                .exceptionallyCompose(handle::closedFor)
                                .thenApply(_ -> handle))
                .thenCompose(handle -> finding.find(handle, wanted.truncate() && isEmpty(handle)))
                .whenComplete((going, failure) -> {
                    if (failure != null) {
                        bound.left(user);
                        mounted.failByPath(reply, node, "open", failure, wanted);
                        return;
                    }
                    OpenFiles.Way way = going.way();
                    FileHandle handle = going.handle();
                    long number = open.register(reply, handle, way, going.local());
                    mounted.seconds().opened(reply);
                    if (!reply.opened(number, way.mode(), way.backing())) {
                        open.forget(number);
                    }
                });
    }

    private static boolean isEmpty(FileHandle handle) {
        return handle.attributes().getSize() == 0;
    }

    private void answer(OpenReply reply, long number, OpenFile file) {
        if (!reply.opened(number, file.mode(), ways.backing(file.handle().inode()))) {
            open.forget(number);
        }
    }

    void create(CreateReply reply, long parent, RawName raw, int flags, int mode, int umask) {
        Name name = Names.name(reply, raw);
        if (name != null && !createdBefore(reply) && bound.admits(reply, mounted.user(reply))) {
            boolean exclusive = (flags & Flags.O_EXCL) != 0;
            answerCreated(
                    reply,
                    parent,
                    mounted.transfer()
                            .create(
                                    mounted.who(reply),
                                    parent,
                                    name,
                                    mode & Flags.PERMISSIONS,
                                    umask,
                                    exclusive,
                                    flagsOfNew(flags, mode)));
        }
    }

    void temporary(CreateReply reply, long parent, int flags, int mode, int umask) {
        if (createdBefore(reply) || !bound.admits(reply, mounted.user(reply))) {
            return;
        }
        answerCreated(
                reply,
                parent,
                mounted.transfer()
                        .temporary(
                                mounted.who(reply),
                                parent,
                                mode & Flags.PERMISSIONS,
                                umask,
                                flags(flags)));
    }

    private boolean createdBefore(CreateReply reply) {
        long number = open.openedBefore(reply);
        OpenFile file = number == 0 ? null : open.find(number);
        if (file == null) {
            return false;
        }
        file.ready()
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        mounted.fail(reply, file.handle().inode(), "create", failure);
                    } else {
                        int backing = ways.backing(file.handle().inode());
                        created(reply, file.handle(), number, file.mode(), backing);
                    }
                });
        return true;
    }

    private void created(CreateReply reply, FileHandle handle, long number, int mode, int backing) {
        mounted.fill(reply.attributes(), handle.attributes());
        if (!reply.created(handle.inode(), NO_GENERATION, 0, 0, number, mode, backing)) {
            open.forget(number);
        }
    }

    private void answerCreated(CreateReply reply, long parent, CompletableFuture<FileHandle> made) {
        boolean second = mounted.seconds().over(reply);
        int user = mounted.user(reply);
        made.thenCompose(handle -> finding.find(handle, isEmpty(handle)))
                .whenComplete((going, failure) -> {
                    if (failure != null) {
                        bound.left(user);
                        mounted.failInDirectory(reply, parent, "create", failure, second);
                        return;
                    }
                    FileHandle handle = going.handle();
                    OpenFiles.Way way = going.way();
                    long number = open.register(reply, handle, way, going.local());
                    created(reply, handle, number, way.mode(), way.backing());
                });
    }

    void flush(EmptyReply reply, long node, long number, long lockOwner) {
        OpenFile file = require(reply, number, () -> flush(reply, node, number, lockOwner));
        if (file == null) {
            return;
        }
        passed.look(node);
        locks.closed(node, number, lockOwner)
                .thenCombine(file.flush(), (_, _) -> true)
                .whenComplete((_, failure) -> answer(reply, node, "close", failure));
    }

    void release(EmptyReply reply, long node, long number, boolean flockUnlock, long lockOwner) {
        OpenFile file = open.release(number);
        passed.left(node);
        reply.done(); // nobody waits for it
        if (file == null) {
            return;
        }
        CompletableFuture<Void> unlocked =
                locks.ended(node, number, flockUnlock ? lockOwner : null, file.user());
        boolean all = locks.isInherited(node) && !open.isOpen(node);
        open.leave(
                number,
                file,
                all ? CompletableFuture.allOf(unlocked, locks.inheritedEnds(node)) : unlocked);
    }

    void fsync(EmptyReply reply, long node, long number, boolean dataOnly) {
        OpenFile file = require(reply, number, () -> fsync(reply, node, number, dataOnly));
        if (file != null) {
            file.sync(dataOnly).whenComplete((_, failure) -> answer(reply, node, "fsync", failure));
        }
    }

    void syncAll(EmptyReply reply) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        open.all().stream().filter(OpenFile::isWritable).forEach(file -> all.add(file.sync()));
        all.add(mounted.transfer().stored());
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
                .whenComplete((_, failure) -> answer(reply, 0, "syncfs", failure));
    }

    /** At the end of the mount. */
    void closeAll() {
        open.closeAll()
                .thenCompose(_ -> mounted.transfer().settled())
                .handle((_, failure) -> {
                    if (failure != null) {
                        log.warn(
                                "files left open could not all be closed: {}",
                                failure.getMessage());
                    }
                    return null;
                })
                .join();
    }

    // ---- contents
    // -----------------------------------------------------------------------------------------------------------------------

    /**
     * @param kept as pages: sendfile(2), splice(2) and mappings read these, however the file was
     *     opened
     */
    void read(ReadReply reply, long node, long number, long offset, int size, boolean kept) {
        OpenFile file = require(reply, number, () -> read(reply, node, number, offset, size, kept));
        if (file == null) {
            return;
        }
        mounted.times().read(file.handle());
        paces.read(
                        reply,
                        size,
                        () ->
                                file.handle()
                                        .read(offset, size)
                                        .thenAccept(bytes -> answer(reply, bytes)))
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        mounted.fail(reply, node, "read", failure);
                    } else if (kept && file.handle().mode() == DataMode.WRITE_SHARED) {
                        // No recall tells of another client's next write.
                        Objects.requireNonNull(cache).forgetData(node, offset, size, _ -> {});
                    }
                });
    }

    private static void answer(ReadReply reply, ByteBuf bytes) {
        try {
            ByteBuffer out = reply.buffer();
            int length = Math.min(bytes.readableBytes(), out.limit());
            bytes.readBytes(out.limit(length));
            reply.data(length);
        } finally {
            bytes.release();
        }
    }

    void write(
            CountReply reply,
            long node,
            long number,
            long offset,
            ByteBuffer data,
            int openFlags,
            int writeFlags) {
        boolean append = (openFlags & Flags.O_APPEND) != 0 && (writeFlags & Flags.WRITE_CACHE) == 0;
        Writing way = append ? appending(reply, offset) : (to, bytes) -> to.write(offset, bytes);
        boolean kill = (writeFlags & Flags.WRITE_KILL_SUIDGID) != 0;
        boolean mapped = (writeFlags & Flags.WRITE_CACHE) != 0; // which takes nothing away
        Before before =
                mapped && !kill ? _ -> NOTHING_TO_DO : file -> taking.take(reply, file, kill);
        paces.write(
                        reply,
                        data,
                        (bytes, done) -> write(reply, node, number, before, way, bytes, done))
                .exceptionally(failure -> {
                    mounted.fail(reply, node, "write", failure);
                    return null;
                });
    }

    /** What goes before bytes do. */
    private interface Before {
        CompletableFuture<Void> of(OpenFile file);
    }

    /** How bytes, which are taken over, come into a file. */
    private interface Writing {
        CompletableFuture<?> write(FileHandle to, ByteBuf bytes);
    }

    /**
     * @param end the kernel's idea of it, which may be an old one: it does not ask before it writes
     */
    private static Writing appending(CountReply reply, long end) {
        long append = Numbers.of(reply); // unlike a handle it is one of this session's alone
        return reply.resent()
                ? (to, bytes) -> to.appendAgain(bytes, append, end)
                : (to, bytes) -> to.append(bytes, append);
    }

    /**
     * @param bytes taken over
     * @param done completed when they are held no more
     */
    private void write(
            CountReply reply,
            long node,
            long number,
            Before before,
            Writing way,
            ByteBuf bytes,
            CompletableFuture<Void> done) {
        OpenFile file =
                require(
                        reply,
                        number,
                        () -> write(reply, node, number, before, way, bytes, done),
                        () -> {
                            bytes.release();
                            done.complete(null);
                        });
        if (file == null) {
            return;
        }
        int length = bytes.readableBytes();
        before.of(file)
                .whenComplete((_, refused) -> {
                    if (refused != null) {
                        bytes.release();
                    }
                })
                .<Void>thenCompose(_ -> {
                    file.noteWrite();
                    return way.write(file.handle(), bytes).thenApply(_ -> null);
                })
                .whenComplete((_, failure) -> {
                    done.complete(null);
                    if (failure != null) {
                        mounted.fail(reply, node, "write", failure);
                    } else {
                        reply.count(length);
                    }
                });
    }

    void fallocate(EmptyReply reply, long node, long number, long offset, long length, int mode) {
        OpenFile file =
                require(reply, number, () -> fallocate(reply, node, number, offset, length, mode));
        if (file == null) {
            return;
        }
        if ((mode & ~(Flags.FALLOC_KEEP_SIZE | Flags.FALLOC_PUNCH_HOLE | Flags.FALLOC_ZERO_RANGE))
                != 0) {
            reply.fail(Errno.EOPNOTSUPP);
            return;
        }
        taking.take(reply, file, reply.uid() != 0)
                .thenCompose(_ -> {
                    file.noteWrite();
                    return file.handle()
                            .allocate(
                                    offset,
                                    length,
                                    (mode & Flags.FALLOC_KEEP_SIZE) != 0,
                                    (mode & Flags.FALLOC_PUNCH_HOLE) != 0,
                                    (mode & Flags.FALLOC_ZERO_RANGE) != 0);
                })
                .whenComplete((_, failure) -> answer(reply, node, "fallocate", failure));
    }

    void lseek(OffsetReply reply, long node, long number, long offset, int whence) {
        OpenFile file = require(reply, number, () -> lseek(reply, node, number, offset, whence));
        if (file == null) {
            return;
        }
        file.handle()
                .seek(offset, whence == Flags.SEEK_HOLE)
                .whenComplete((position, failure) -> {
                    if (failure != null) {
                        mounted.fail(reply, node, "lseek", failure);
                    } else {
                        reply.offset(position);
                    }
                });
    }

    void copyRange(
            CountReply reply,
            long nodeIn,
            long numberIn,
            long offsetIn,
            long nodeOut,
            long numberOut,
            long offsetOut,
            long length) {
        Runnable again =
                () ->
                        copyRange(
                                reply, nodeIn, numberIn, offsetIn, nodeOut, numberOut, offsetOut,
                                length);
        OpenFile from = require(reply, numberIn, again);
        OpenFile to = from == null ? null : require(reply, numberOut, again);
        if (from == null || to == null) {
            return;
        }
        if (from.kernelWrites() || to.kernelWrites()) {
            reply.fail(Errno.EOPNOTSUPP); // the kernel then copies through its own cache, where
            // these bytes are
            return;
        }
        boolean moves = mounted.times().read(from.handle());
        taking.take(reply, to, reply.uid() != 0)
                .thenCompose(_ -> {
                    to.noteWrite();
                    return to.handle().copyRange(from.handle(), offsetIn, offsetOut, length);
                })
                .whenComplete((count, failure) -> {
                    if (failure != null) {
                        mounted.fail(reply, nodeOut, "copy_file_range", failure);
                    } else if (moves) {
                        // The kernel does not take this for a reading.
                        Objects.requireNonNull(cache)
                                .forgetAttributes(nodeIn, _ -> reply.count(count));
                    } else {
                        reply.count(count);
                    }
                });
    }

    // ---- for the attribute calls
    // ------------------------------------------------------------------------------------------------------------

    /** What the kernel has read by itself counts from here on. */
    void lookForReads(long node) {
        passed.look(node);
    }

    /** Somebody sets the access time to what he likes. */
    void accessTimeSet(long node) {
        passed.timeSet(node);
        mounted.times().forget(node);
    }

    @Nullable OpenFile find(long number) {
        return open.find(number);
    }

    long count() {
        return open.all().size();
    }

    boolean isOpenForWriting(long node) {
        return open.isOpenForWriting(node);
    }

    /** By path: what the kernel has written into a file that is still to come back is cut, too. */
    CompletableFuture<?> truncate(Credentials who, long node, long size) {
        return open.writersReady(node)
                .thenCompose(_ -> mounted.transfer().truncate(who, node, size));
    }

    CompletableFuture<Void> truncate(Request request, OpenFile file, long size, boolean kill) {
        return file.ready()
                .thenCompose(_ -> taking.take(request, file, kill))
                .thenCompose(_ -> {
                    file.noteWrite();
                    return file.handle().truncate(size);
                });
    }

    /** The kernel writes a file that begins empty itself, where it may. */
    private OpenFlags flagsOfNew(int flags, int mode) {
        OpenFlags wanted = flags(flags);
        return finding.mayWriteNew(wanted, mode) ? wanted.locally() : wanted;
    }

    private static OpenFlags flags(int flags) {
        int access = flags & Flags.O_ACCMODE;
        return new OpenFlags(
                        access != Flags.O_WRONLY,
                        access != Flags.O_RDONLY,
                        (flags & Flags.O_TRUNC) != 0 && access != Flags.O_RDONLY,
                        (flags & Flags.O_APPEND) != 0,
                        (flags & FMODE_EXEC) != 0)
                .keepingPrivileges();
    }

    private @Nullable OpenFile require(Request reply, long number, Runnable again) {
        return require(reply, number, again, () -> {});
    }

    /**
     * The open file; null where that is answered, or goes on with {@code again} when a file of a
     * former process has come back.
     *
     * @param refused before an answer
     */
    private @Nullable OpenFile require(
            Request reply, long number, Runnable again, Runnable refused) {
        OpenFile file = open.find(number);
        if (file == null) {
            refused.run();
            reply.fail(Errno.EBADF);
            return null;
        }
        if (!file.ready().isDone()) {
            file.ready().whenComplete((_, _) -> again.run());
            return null;
        }
        FarmException obstacle = file.obstacle();
        if (obstacle != null) {
            refused.run();
            mounted.fail(reply, file.handle().inode(), "use", obstacle);
            return null;
        }
        return file;
    }

    private void answer(
            EmptyReply reply, long node, String operation, @Nullable Throwable failure) {
        if (failure != null) {
            mounted.fail(reply, node, operation, failure);
        } else {
            reply.done();
        }
    }
}
