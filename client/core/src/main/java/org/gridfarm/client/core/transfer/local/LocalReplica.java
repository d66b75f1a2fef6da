package org.gridfarm.client.core.transfer.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileIdentity;
import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.StagedFile;
import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The plain file of a replica on this host, granted by its node. It is held open, so that its bytes
 * are to be had whatever becomes of the node: by one descriptor, since a program may have thousands
 * of files open. Who opens, reads, changes, looks at or closes it may wait for the disk, and so
 * does not do it on a thread that others need ({@link LocalDisk}); its size alone is known at once.
 * Thread-safe.
 */
public final class LocalReplica {
    public final LocalFile file;

    /** No link is followed where the file was: what its node put there may lead anywhere. */
    private static final LinkOption THIS = LinkOption.NOFOLLOW_LINKS;

    private static final Set<OpenOption> TO_WRITE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, THIS);

    private volatile PlainFile opened;

    /** From the first append on: hardly any file is appended to beside the kernel. */
    @GuardedBy("this")
    private @Nullable FileChannel appending;

    @GuardedBy("this")
    private Runnable whenClosed = () -> {};

    @GuardedBy("this")
    private boolean closed;

    private record Grant(Peer node, OpenLocalReply granted) {
        String path() {
            return granted.getPath();
        }
    }

    private volatile @Nullable Grant grant; // null: a staged file that is no replica yet
    private volatile boolean claimAsked;
    private final long modifiedAtFirst;
    private final boolean timesTell; // of whatever changes the bytes

    private LocalReplica(
            LocalFile file, @Nullable Grant grant, PlainFile opened, boolean mayHaveChanged) {
        this.file = file;
        this.grant = grant;
        this.opened = opened;
        this.modifiedAtFirst = modified();
        this.timesTell =
                file.write() && !mayHaveChanged && ChangeTimes.tell(path(), modifiedAtFirst);
    }

    /** Granted for reading, or for writing into it as it is. */
    public static LocalReplica open(OpenLocalReply granted, boolean write, Peer node)
            throws IOException {
        return open(granted, write, 0, node, false);
    }

    /**
     * Granted again for writing: what was written into it before is not known.
     *
     * @param wanted number of the file that it has to be, as {@link FileIdentity#number} tells; 0:
     *     any. A node that was away for a while may have another copy of the object by now.
     * @return null: it is another file
     */
    public static @Nullable LocalReplica openAgain(
            OpenLocalReply granted, long staged, long wanted, Peer node) throws IOException {
        LocalReplica opened = open(granted, true, staged, node, true);
        if (wanted == 0 || wanted == FileIdentity.number(opened.file.identity())) return opened;
        opened.close();
        return null;
    }

    private static LocalReplica open(
            OpenLocalReply granted, boolean write, long staged, Peer node, boolean mayHaveChanged)
            throws IOException {
        Path path = Path.of(granted.getPath());
        return open(
                new LocalFile(granted.getPath(), granted.getSize(), write, identity(path), staged),
                new Grant(node, granted),
                mayHaveChanged);
    }

    /** An empty file that is to become the replica of an object when it is claimed. */
    public static LocalReplica staged(StagedFile staged) throws IOException {
        Path path = Path.of(staged.getPath());
        return open(
                new LocalFile(staged.getPath(), 0, true, identity(path), staged.getNumber()),
                null,
                true);
    }

    private static LocalReplica open(LocalFile file, @Nullable Grant grant, boolean mayHaveChanged)
            throws IOException {
        Path path = Path.of(file.path());
        PlainFile opened = file.write() ? forWriting(path) : forReading(path);
        try {
            if (!Objects.equals(identity(path), file.identity())) {
                throw new NoSuchFileException(file.path(), null, "another file lies there");
            }
            return new LocalReplica(file, grant, opened, mayHaveChanged);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    private static PlainFile forReading(Path path) throws IOException {
        LocalDisk.waits();
        return PlainFile.open(path, Set.of(StandardOpenOption.READ, THIS), false);
    }

    private static PlainFile forWriting(Path path) throws IOException {
        LocalDisk.waits();
        return PlainFile.open(path, TO_WRITE, true);
    }

    /** Its descriptor is free again when this runs. */
    public void whenClosed(Runnable step) {
        boolean over;
        synchronized (this) {
            over = closed;
            if (!over) {
                whenClosed = step;
            }
        }
        if (over) {
            step.run();
        }
    }

    private static FileIdentity identity(Path path) throws IOException {
        LocalDisk.waits();
        return FileIdentity.of(path);
    }

    // ---- the grant
    // -------------------------------------------------------------------------------------------------------------------------

    /** False: it is a staged file of which the node does not know yet what object it is for. */
    public boolean isClaimed() {
        return grant != null;
    }

    /** Null while it is not claimed. */
    public @Nullable Peer node() {
        Grant now = grant;
        return now == null ? null : now.node;
    }

    /** 0 while it is not claimed. */
    public long lease() {
        Grant now = grant;
        return now == null ? 0 : now.granted.getLease();
    }

    /** For so long its node says that it is as good as verified; not at all while not claimed. */
    public Duration fresh() {
        Grant now = grant;
        return Duration.ofSeconds(now == null ? 0 : now.granted.getFreshSeconds());
    }

    private Path path() {
        Grant now = grant;
        return Path.of(now == null ? file.path() : now.path());
    }

    /** With the path where it lies now. */
    public LocalFile fileNow() {
        return new LocalFile(
                path().toString(), file.size(), file.write(), file.identity(), file.staged());
    }

    /** Its node is asked to make a replica of it: it may do so although no answer comes. */
    void claimAsked() {
        claimAsked = true;
    }

    /** It is as its node staged it, and stays so when it is closed now. */
    public boolean isAsNew() {
        return !claimAsked && isUntouched();
    }

    /** Nobody has written into the staged file, and no node knows of it. */
    public boolean isUntouched() {
        return !isClaimed() && size() == 0 && modified() == modifiedAtFirst;
    }

    /**
     * Nobody has written into it since it was granted for writing. False also where that cannot be
     * told, and of what was staged.
     */
    public boolean isUnchanged() {
        return timesTell && size() == file.size() && modified() == modifiedAtFirst;
    }

    /** True when what the node has granted anew is this very file. */
    boolean renewed(OpenLocalReply granted, Peer node) {
        try {
            if (!identity(Path.of(granted.getPath())).equals(file.identity())) {
                return false;
            }
        } catch (IOException e) {
            return false; // it is another's by now, or nobody's
        }
        grant = new Grant(node, granted);
        return true;
    }

    // ---- the bytes
    // -------------------------------------------------------------------------------------------------------------------------

    /**
     * The bytes, or null where the file cannot be read any more or has fewer: then they come from
     * the nodes.
     */
    public @Nullable ByteBuf read(long offset, int length) {
        ByteBuf bytes = Buffers.POOL.directBuffer(length, length);
        try {
            if (readUpTo(bytes, offset) < length) {
                bytes.release();
                return null;
            }
            return bytes;
        } catch (IOException e) {
            bytes.release();
            return null; // the nodes' answer tells what is really wrong
        }
    }

    /** As many bytes as there are and the buffer takes. */
    public int readThere(long offset, ByteBuffer into) throws IOException {
        LocalDisk.waits();
        PlainFile from = opened;
        int total = 0;
        while (into.hasRemaining()) {
            try {
                int got = from.read(into, offset + total);
                if (got < 0) {
                    break;
                }
                total += got;
            } catch (ClosedChannelException e) {
                from = openedSince(from, e);
            }
        }
        return total;
    }

    /** As many as there are. */
    public ByteBuf readThere(long offset, int length) {
        ByteBuf bytes = Buffers.POOL.directBuffer(Math.max(1, length));
        try {
            readUpTo(bytes.capacity(length), offset);
            return bytes;
        } catch (IOException e) {
            bytes.release();
            throw failed("read", e);
        }
    }

    /**
     * The first byte at or after the offset that may hold data, or the end; the offset itself where
     * that cannot be told.
     */
    public long nextData(LocalCalls calls, long offset, long end) {
        LocalDisk.waits();
        try {
            long next = calls.nextData(path(), offset);
            if (!identity(path()).equals(file.identity())) {
                return offset; // another file lies there by now
            }
            return next < 0 ? end : Math.min(next, end);
        } catch (IOException e) {
            return offset; // it may lie nowhere by now, and is still open here
        }
    }

    /**
     * Size, time of modification and space of this moment, as its node would tell; null where the
     * space cannot be told here, and while it lies where nobody knows.
     */
    public @Nullable ChainOutcome measured(LocalCalls calls) {
        LocalDisk.waits();
        try {
            long allocated = calls.allocated(path());
            BasicFileAttributes now = Files.readAttributes(path(), BasicFileAttributes.class, THIS);
            return allocated < 0 || !identity(path()).equals(file.identity())
                    ? null
                    : ChainOutcome.newBuilder()
                            .setSize(now.size())
                            .setMtime(now.lastModifiedTime().to(TimeUnit.NANOSECONDS))
                            .setAllocated(allocated)
                            .build();
        } catch (IOException e) {
            return null; // it is being claimed: its node tells
        }
    }

    private int readUpTo(ByteBuf bytes, long offset) throws IOException {
        int got = readThere(offset, bytes.internalNioBuffer(0, bytes.capacity()));
        bytes.writerIndex(got);
        return got;
    }

    public long size() {
        try {
            PlainFile of = opened;
            while (true) {
                try {
                    return of.size();
                } catch (ClosedChannelException e) {
                    of = openedSince(of, e);
                }
            }
        } catch (IOException e) {
            throw failed("stat", e);
        }
    }

    /** What has taken the place of what was closed meanwhile, if that was not the end. */
    private PlainFile openedSince(PlainFile former, ClosedChannelException why)
            throws ClosedChannelException {
        PlainFile now = opened;
        if (now == former) {
            throw why;
        }
        return now;
    }

    @GuardedBy("this")
    private PlainFile writing() throws IOException {
        LocalDisk.waits();
        if (!file.write()) {
            throw new IOException("it was granted for reading");
        }
        PlainFile now = opened;
        if (!now.isWriting()) {
            now = requireSame(forWriting(path()));
            replace(now);
        }
        return now;
    }

    @GuardedBy("this")
    private void replace(PlainFile by) throws IOException {
        PlainFile before = opened;
        opened = by;
        before.close();
    }

    /** What the path leads to by now; closed again where that is another file, or none. */
    private <T extends Closeable> T requireSame(T found) throws IOException {
        boolean same = false;
        try {
            same = !closedNow() && Objects.equals(identity(path()), file.identity());
        } finally {
            if (!same) {
                found.close();
            }
        }
        if (!same) {
            throw new NoSuchFileException(path().toString(), null, "another file lies there");
        }
        return found;
    }

    private synchronized boolean closedNow() {
        return closed;
    }

    public synchronized void write(long offset, ByteBuf bytes) {
        try {
            long at = offset;
            for (ByteBuffer part : bytes.nioBuffers()) {
                int length = part.remaining();
                writeThere(at, part);
                at += length;
            }
        } catch (IOException e) {
            throw failed("write", e);
        }
    }

    /** All of the buffer. */
    public synchronized void writeThere(long offset, ByteBuffer from) throws IOException {
        PlainFile to = writing();
        for (long at = offset; from.hasRemaining(); ) {
            at += to.write(from, at);
        }
    }

    /** At the end, wherever the kernel has moved it; where that was. */
    public synchronized long append(ByteBuf bytes) {
        try {
            FileChannel to = appending();
            ByteBuffer whole = bytes.nioBuffer();
            int length = whole.remaining();
            while (whole.hasRemaining()) {
                to.write(whole);
            }
            return to.position() - length;
        } catch (IOException e) {
            throw failed("append", e);
        }
    }

    /** An interrupt may have closed the last one: the bytes are to be had without it. */
    @GuardedBy("this")
    private FileChannel appending() throws IOException {
        writing();
        FileChannel now = appending;
        if (now == null || !now.isOpen()) {
            now = requireSame(FileChannel.open(path(), Set.of(StandardOpenOption.APPEND, THIS)));
            appending = now;
        }
        return now;
    }

    /** Also to the size that it has it is a change, as truncate(2) is. */
    public synchronized void resize(long size, LocalCalls calls) {
        try {
            PlainFile of = writing();
            if (size < of.size()) {
                of.truncate(size);
            } else if (size > of.size()) {
                grow(of, size);
            } else {
                calls.touch(path());
            }
        } catch (IOException e) {
            throw failed("truncate", e);
        }
    }

    /** By a hole: of all calls of a channel only that for a mapping, here of nothing, makes one. */
    private void grow(PlainFile of, long size) throws IOException {
        try (FileChannel same = requireSame(FileChannel.open(path(), TO_WRITE))) {
            Object unused = same.map(FileChannel.MapMode.READ_WRITE, size, 0);
        } catch (NoSuchFileException e) {
            int unused = of.write(ByteBuffer.allocate(1), size - 1); // it lies nowhere any more
        }
        if (of.size() < size) {
            throw new IOException("it stays at " + of.size() + " bytes");
        }
    }

    /** The bytes are on stable storage when this returns. */
    public void force() {
        LocalDisk.waits();
        try {
            PlainFile of = opened;
            while (true) {
                try {
                    of.force();
                    return;
                } catch (ClosedChannelException e) {
                    of = openedSince(of, e);
                }
            }
        } catch (IOException e) {
            throw failed("fsync", e);
        }
    }

    /** What a caller is told of it. */
    public FarmException failed(String operation, IOException e) {
        return new FarmException(DiskTrouble.kind(e), operation, file.path(), e.toString(), e);
    }

    /** What {@link #modified} said when it was opened. */
    public long modifiedAtFirst() {
        return modifiedAtFirst;
    }

    /** Nanoseconds since 1970; 0 where it cannot be told. */
    public long modified() {
        LocalDisk.waits();
        try {
            return Files.getLastModifiedTime(path(), THIS).to(TimeUnit.NANOSECONDS);
        } catch (IOException e) {
            return 0; // then every time of the object counts as one of writing
        }
    }

    /** Where it lies now, after this process has closed what it had open for writing. */
    public synchronized Path idlePath() {
        LocalDisk.waits();
        try {
            closeAppending();
            if (opened.isWriting() && !closed) {
                replace(requireSame(forReading(path())));
            }
        } catch (NoSuchFileException e) {
            return path(); // it is being claimed, or was taken away: nobody finds it there
        } catch (IOException e) {
            throw failed("close", e);
        }
        return path();
    }

    @GuardedBy("this")
    private void closeAppending() throws IOException {
        FileChannel now = appending;
        appending = null;
        if (now != null) {
            now.close();
        }
    }

    public void close() {
        LocalDisk.waits();
        Runnable last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = whenClosed;
            try {
                closeAppending();
                opened.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            } finally {
                last.run();
            }
        }
    }
}
