package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.FileIdentity;
import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.RestoredFile;
import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.mount.fuse.OpenFiles;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.takeover.Numbers;
import org.gridfarm.client.mount.takeover.OpenRecord;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The files that the kernel has open, by the numbers it knows them by, each written down before the
 * kernel is told of it. Thread-safe.
 */
final class OpenTable {
    private static final Logger log = LoggerFactory.getLogger(OpenTable.class);

    private final Mounted mounted;
    private final OpenFiles ways;
    private final Shares shares;
    private final Map<Long, OpenFile> open = new ConcurrentHashMap<>();
    private final Map<Long, Integer> writers = new ConcurrentHashMap<>();
    private final Map<Long, Long> restoredOpens = new ConcurrentHashMap<>(); // by request
    private final AtomicLong nextHandle;
    private final Mappings mappings = new Mappings(Clock.system());
    private final Set<CompletableFuture<Void>> leaving = ConcurrentHashMap.newKeySet();

    /**
     * @param shares of those who open files: given back when nothing is left to be done for one
     */
    OpenTable(Mounted mounted, OpenFiles ways, Shares shares) {
        this.mounted = mounted;
        this.shares = shares;
        this.ways = ways;
        this.nextHandle = new AtomicLong(mounted.firstHandle());
    }

    void started(Passthrough engine) {
        mappings.started(engine);
    }

    @Nullable OpenFile find(long number) {
        return open.get(number);
    }

    Collection<OpenFile> all() {
        return open.values();
    }

    /** Looks through all that is open. */
    boolean isOpen(long node) {
        return open.values().stream().anyMatch(file -> file.handle().inode() == node);
    }

    boolean isOpenForWriting(long node) {
        return writers.containsKey(node);
    }

    /** Somebody has given the file set-user or set-group bits or capabilities. */
    void privilegesGiven(long node) {
        writers(node).forEach(file -> file.privileges().given());
    }

    /** Looks through all that is open, where there is any. */
    List<OpenFile> writers(long node) {
        return isOpenForWriting(node)
                ? open.values().stream()
                        .filter(file -> file.isWritable() && file.handle().inode() == node)
                        .toList()
                : List.of();
    }

    /** What a former process had open for writing is here again, or never will be. */
    CompletableFuture<Void> writersReady(long node) {
        return CompletableFuture.allOf(
                writers(node).stream()
                        .map(file -> file.ready().exceptionally(_ -> null))
                        .toArray(CompletableFuture[]::new));
    }

    /** To be called before the kernel is told. */
    long register(
            Request request, FileHandle handle, OpenFiles.Way way, @Nullable LocalFile local) {
        long number = nextHandle.getAndIncrement();
        boolean kernelWrites = way.passthrough() && local != null && local.write();
        Credentials who = mounted.who(request);
        OpenFile file = new OpenFile(handle, way.mode(), kernelWrites, who.getUid());
        mounted.book()
                .opened(
                        new OpenRecord(
                                number,
                                handle.inode(),
                                handle.id(),
                                Numbers.of(request),
                                way.mode(),
                                way.backing(),
                                access(handle.flags(), kernelWrites),
                                handle.attributes().getGeneration(),
                                local == null ? 0 : local.staged(),
                                kernelWrites && local != null
                                        ? FileIdentity.number(local.identity())
                                        : 0,
                                who));
        handle.noted();
        add(number, file);
        return number;
    }

    private void add(long number, OpenFile file) {
        open.put(number, file);
        mappings.opened(file);
        if (file.isWritable()) {
            writers.merge(file.handle().inode(), 1, Integer::sum);
        }
    }

    /** The kernel has not taken the handle: no release will come. */
    void forget(long number) {
        OpenFile file = release(number);
        if (file != null) {
            leave(number, file, CompletableFuture.completedFuture(null));
        }
    }

    /** The kernel has given the file up: what was written is committed. */
    @Nullable OpenFile release(long number) {
        OpenFile file = open.remove(number);
        if (file != null) {
            mounted.book().leaving(number);
        }
        return file;
    }

    /**
     * The end of what {@link #release} gave.
     *
     * @param unlocked completes when nothing is locked through it any more: until then it is noted,
     *     for whoever may have to go on with that
     */
    void leave(long number, OpenFile file, CompletableFuture<Void> unlocked) {
        CompletableFuture<Void> over = file.handle().ended(); // of this close, and no later one
        CompletableFuture<Void> left =
                file.ready()
                        .handle((_, _) -> mappings.over(file))
                        .thenCompose(unmapped -> unmapped)
                        .thenCompose(_ -> close(file))
                        .handle((_, failure) -> {
                            ended(file);
                            // Kept open, it is to be closed by whoever goes on for this process.
                            CompletableFuture.allOf(over, unlocked)
                                    .thenRun(() -> mounted.book().closed(number));
                            // Of a former process' file: it may have been closed by that already.
                            if (failure != null && file.obstacle() == null) {
                                log.warn(
                                        "close of inode {}: {}",
                                        Long.toHexString(file.handle().inode()),
                                        failure.getMessage());
                            }
                            return null;
                        });
        leaving.add(left);
        left.thenRun(() -> leaving.remove(left));
    }

    /** At the end of the mount: what programs left open is committed as it stands. */
    CompletableFuture<Void> closeAll() {
        mappings.end();
        List<CompletableFuture<Void>> all = new ArrayList<>(leaving);
        open.values().forEach(file -> all.add(file.close()));
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Whoever opens it from now on is given no plain file that the kernel had before: the farm may
     * be told at once that nobody writes that any more.
     */
    private CompletableFuture<Void> close(OpenFile file) {
        ways.released(file.handle().inode(), file.mode());
        return file.close();
    }

    private void ended(OpenFile file) {
        shares.giveBack(file.user());
        if (file.isWritable()) {
            writers.computeIfPresent(
                    file.handle().inode(), (_, count) -> count == 1 ? null : count - 1);
        }
    }

    // ---- from a former process

    /** How a file of a former process is asked for again. */
    interface Source {
        RestoredFile restore(
                Credentials who,
                long inode,
                long handle,
                OpenFlags flags,
                int generation,
                boolean leaving);
    }

    /** Completes when the file may be used, or never may. */
    CompletableFuture<Void> restore(
            OpenRecord record, boolean leaving, Source source, Passthrough engine) {
        RestoredFile restored =
                source.restore(
                        record.who(),
                        record.inode(),
                        record.server(),
                        flags(record),
                        record.generation(),
                        leaving);
        boolean kernelWrites = record.has(OpenRecord.KERNEL_WRITES);
        CompletableFuture<Void> ready =
                kernelWrites || record.staged() != 0
                        ? restored.ready().thenCompose(_ -> writtenHere(restored.handle(), record))
                        : restored.ready();
        OpenFile file =
                new OpenFile(
                        restored.handle(),
                        record.mode(),
                        kernelWrites,
                        new java.util.concurrent.atomic.AtomicBoolean(record.has(OpenRecord.WRITE)),
                        Privileges.unknown(),
                        ready,
                        record.who().getUid());
        shares.takeAnyway(file.user());
        ways.restore(
                record.inode(),
                record.mode(),
                kernelWrites,
                leaving,
                record.backing(),
                engine::adopt);
        add(record.number(), file);
        if (!leaving) {
            restoredOpens.put(record.request(), record.number());
        }
        return ready;
    }

    /** The node is told again that its replica changes behind its back. */
    private static CompletableFuture<Void> writtenHere(FileHandle handle, OpenRecord record) {
        return handle.openLocalAgain(record.staged(), record.file())
                .thenAccept(local -> {
                    if (local == null) {
                        throw new FarmException(
                                ErrorKind.STALE,
                                "reopen",
                                "",
                                "its node does not give the replica that the kernel writes");
                    }
                });
    }

    /**
     * What a former process had opened for this very request without the kernel hearing of it; 0 if
     * nothing.
     */
    long openedBefore(Request request) {
        Long number = request.resent() ? restoredOpens.remove(Numbers.of(request)) : null;
        return number == null ? 0 : number;
    }

    private static int access(OpenFlags flags, boolean kernelWrites) {
        return (flags.read() ? OpenRecord.READ : 0)
                | (flags.write() ? OpenRecord.WRITE : 0)
                | (flags.append() ? OpenRecord.APPEND : 0)
                | (flags.execute() ? OpenRecord.EXECUTE : 0)
                | (kernelWrites ? OpenRecord.KERNEL_WRITES : 0);
    }

    private static OpenFlags flags(OpenRecord record) {
        return new OpenFlags(
                record.has(OpenRecord.READ),
                record.has(OpenRecord.WRITE),
                false,
                record.has(OpenRecord.APPEND),
                record.has(OpenRecord.EXECUTE));
    }
}
