package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.StagedFile;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The plain file of a replica on this host, granted by its node. It is held open, so that its bytes
 * are to be had whatever becomes of the node. Thread-safe.
 */
final class LocalReplica {
    final LocalFile file;
    private final FileChannel opened;

    /** For what this process writes itself; open from the start, like the other. */
    private record Writing(RandomAccessFile anywhere, FileChannel appending) {}

    @GuardedBy("this")
    private @Nullable Writing writing;

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
            LocalFile file, @Nullable Grant grant, FileChannel opened, boolean mayHaveChanged) {
        this.file = file;
        this.grant = grant;
        this.opened = opened;
        this.modifiedAtFirst = modified();
        this.timesTell =
                file.write() && !mayHaveChanged && ChangeTimes.tell(path(), modifiedAtFirst);
    }

    /** Granted for reading, or for writing into it as it is. */
    static LocalReplica open(OpenLocalReply granted, boolean write, Peer node) throws IOException {
        return open(granted, write, 0, node, false);
    }

    /** Granted again: what was written into it before is not known. */
    static LocalReplica openAgain(OpenLocalReply granted, boolean write, long staged, Peer node)
            throws IOException {
        return open(granted, write, staged, node, true);
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
    static LocalReplica staged(StagedFile staged) throws IOException {
        Path path = Path.of(staged.getPath());
        return open(
                new LocalFile(staged.getPath(), 0, true, identity(path), staged.getNumber()),
                null,
                true);
    }

    private static LocalReplica open(LocalFile file, @Nullable Grant grant, boolean mayHaveChanged)
            throws IOException {
        LocalReplica replica =
                new LocalReplica(
                        file,
                        grant,
                        FileChannel.open(Path.of(file.path()), StandardOpenOption.READ),
                        mayHaveChanged);
        try {
            replica.openWriting();
            return replica;
        } catch (IOException e) {
            replica.close();
            throw e;
        }
    }

    private synchronized void openWriting() throws IOException {
        if (file.write()) {
            writing();
        }
    }

    /** Device and inode. */
    private static @Nullable Object identity(Path path) throws IOException {
        return Files.readAttributes(path, java.nio.file.attribute.BasicFileAttributes.class)
                .fileKey();
    }

    // ---- the grant
    // -------------------------------------------------------------------------------------------------------------------------

    /** False: it is a staged file of which the node does not know yet what object it is for. */
    boolean isClaimed() {
        return grant != null;
    }

    /** Null while it is not claimed. */
    @Nullable Peer node() {
        Grant now = grant;
        return now == null ? null : now.node;
    }

    /** 0 while it is not claimed. */
    long lease() {
        Grant now = grant;
        return now == null ? 0 : now.granted.getLease();
    }

    /** For so long its node says that it is as good as verified; not at all while not claimed. */
    Duration fresh() {
        Grant now = grant;
        return Duration.ofSeconds(now == null ? 0 : now.granted.getFreshSeconds());
    }

    private Path path() {
        Grant now = grant;
        return Path.of(now == null ? file.path() : now.path());
    }

    /** With the path where it lies now. */
    LocalFile fileNow() {
        return new LocalFile(
                path().toString(), file.size(), file.write(), file.identity(), file.staged());
    }

    /** Its node is asked to make a replica of it: it may do so although no answer comes. */
    void claimAsked() {
        claimAsked = true;
    }

    /** It is as its node staged it, and stays so when it is closed now. */
    boolean isAsNew() {
        return !claimAsked && isUntouched();
    }

    /** Nobody has written into the staged file, and no node knows of it. */
    boolean isUntouched() {
        return !isClaimed() && size() == 0 && modified() == modifiedAtFirst;
    }

    /**
     * Nobody has written into it since it was granted for writing. False also where that cannot be
     * told, and of what was staged.
     */
    boolean isUnchanged() {
        return timesTell && size() == file.size() && modified() == modifiedAtFirst;
    }

    /** True when what the node has granted anew is this very file. */
    boolean renewed(OpenLocalReply granted, Peer node) {
        try {
            Object now = identity(Path.of(granted.getPath()));
            if (now == null || !now.equals(file.identity())) {
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
    @Nullable ByteBuf read(long offset, int length) {
        ByteBuf bytes = Buffers.POOL.directBuffer(length, length);
        try {
            if (readUpTo(bytes, offset) < length) {
                bytes.release();
                return null;
            }
            return bytes;
        } catch (IOException e) {
            // Also an interrupt, which closes the channel; the nodes' answer tells what is really
            // wrong.
            bytes.release();
            return null;
        }
    }

    /** As many as there are. */
    ByteBuf readThere(long offset, int length) {
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
    long nextData(LocalHoles holes, long offset, long end) {
        try {
            long next = holes.nextData(path(), offset);
            Object now = identity(path());
            if (now == null || !now.equals(file.identity())) {
                return offset; // another file lies there by now
            }
            return next < 0 ? end : Math.min(next, end);
        } catch (IOException e) {
            return offset; // it may lie nowhere by now, and is still open here
        }
    }

    private int readUpTo(ByteBuf bytes, long offset) throws IOException {
        while (bytes.writableBytes() > 0) {
            long at = offset + bytes.writerIndex();
            if (bytes.writeBytes(opened, at, bytes.writableBytes()) < 0) {
                break;
            }
        }
        return bytes.writerIndex();
    }

    long size() {
        try {
            return opened.size();
        } catch (IOException e) {
            throw failed("stat", e);
        }
    }

    @GuardedBy("this")
    private Writing writing() throws IOException {
        if (!file.write()) {
            throw new IOException("it was granted for reading");
        }
        Writing now = writing;
        if (now == null) {
            RandomAccessFile anywhere = new RandomAccessFile(path().toFile(), "rw");
            try {
                now = new Writing(anywhere, FileChannel.open(path(), StandardOpenOption.APPEND));
            } catch (IOException e) {
                anywhere.close();
                throw e;
            }
            writing = now;
        }
        return now;
    }

    synchronized void write(long offset, ByteBuf bytes) {
        try {
            FileChannel to = writing().anywhere.getChannel();
            long at = offset;
            for (ByteBuffer part : bytes.nioBuffers()) {
                while (part.hasRemaining()) {
                    at += to.write(part, at);
                }
            }
        } catch (IOException e) {
            throw failed("write", e);
        }
    }

    /** At the end, wherever the kernel has moved it; where that was. */
    synchronized long append(ByteBuf bytes) {
        try {
            FileChannel to = writing().appending;
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

    synchronized void resize(long size) {
        try {
            writing().anywhere.setLength(size);
        } catch (IOException e) {
            throw failed("truncate", e);
        }
    }

    private FarmException failed(String operation, IOException e) {
        return new FarmException(DiskTrouble.kind(e), operation, file.path(), e.toString(), e);
    }

    /** Nanoseconds since 1970; 0 where it cannot be told. */
    long modified() {
        try {
            return Files.getLastModifiedTime(path()).to(TimeUnit.NANOSECONDS);
        } catch (IOException e) {
            return 0; // then every time of the object counts as one of writing
        }
    }

    /** Where it lies now, after this process has closed what it had open for writing. */
    synchronized Path idlePath() {
        try {
            closeWriting();
        } catch (IOException e) {
            throw failed("close", e);
        }
        return path();
    }

    @GuardedBy("this")
    private void closeWriting() throws IOException {
        Writing now = writing;
        writing = null;
        if (now != null) {
            try (now.anywhere;
                    now.appending) {
                // both are closed
            }
        }
    }

    synchronized void close() {
        try (opened) {
            closeWriting();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
