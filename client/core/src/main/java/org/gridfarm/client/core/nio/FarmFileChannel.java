package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FarmFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * An open file as a channel. Thread-safe: what works at the channel's position is done one after
 * the other, the rest overlaps. Every read and write is a call to a node unless it was read ahead,
 * or is done in a file of this host; a write is in the memory of every replica when it returns,
 * with SYNC or DSYNC on stable storage.
 *
 * <p>An interrupt closes the channel, as {@link java.nio.channels.InterruptibleChannel} has it;
 * what was written up to then stays written.
 */
final class FarmFileChannel extends FileChannel {
    private static final Logger log = LoggerFactory.getLogger(FarmFileChannel.class);

    private static final int CHUNK_BYTES = 1 << 20;
    private static final long COPIED_AT_ONCE = 64L << 20; // each part within the time-out

    private final FarmFile file;
    private final OpenChoice choice;
    private final FarmLocks locks;
    private final Object atPosition = new Object();
    private long position; // guarded by atPosition
    private volatile boolean interrupted;

    FarmFileChannel(FarmFile file, OpenChoice choice, FarmLocks locks) {
        this.file = file;
        this.choice = choice;
        this.locks = locks;
    }

    FarmFile file() {
        return file;
    }

    // ---- what every operation begins and ends with

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void requireReadable() throws ClosedChannelException {
        requireOpen();
        if (!choice.flags().read()) {
            throw new NonReadableChannelException();
        }
    }

    private void requireWritable() throws ClosedChannelException {
        requireOpen();
        if (!choice.flags().write()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requireNotNegative(long value, String what) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " " + value + " is negative");
        }
    }

    private <T> T await(Supplier<T> step) throws IOException {
        requireOpen();
        if (Thread.currentThread().isInterrupted()) {
            throw closedByInterrupt();
        }
        try {
            return step.get();
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.INTERRUPTED) {
                throw closedByInterrupt();
            }
            if (!isOpen()) {
                AsynchronousCloseException closed = new AsynchronousCloseException();
                closed.initCause(e);
                throw closed;
            }
            throw e.toIoException();
        }
    }

    private IOException closedByInterrupt() {
        interrupted = true;
        ClosedByInterruptException told = new ClosedByInterruptException();
        try {
            close();
        } catch (IOException e) {
            told.addSuppressed(e);
        }
        return told;
    }

    // ---- at the position

    @Override
    public int read(ByteBuffer into) throws IOException {
        requireReadable();
        requireTakes(into);
        synchronized (atPosition) {
            return readHere(into);
        }
    }

    private int readHere(ByteBuffer into) throws IOException {
        long here = position;
        int got = await(() -> file.read(here, into));
        position = here + Math.max(0, got);
        return got;
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        requireReadable();
        long total = 0;
        synchronized (atPosition) {
            for (int i = offset; i < offset + length; i++) {
                requireTakes(into[i]);
                int got = readHere(into[i]);
                if (got < 0) {
                    return total == 0 ? -1 : total;
                }
                total += got;
                if (into[i].hasRemaining()) {
                    break;
                }
            }
        }
        return total;
    }

    private static void requireTakes(ByteBuffer into) {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("the buffer to read into is read-only");
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        requireWritable();
        synchronized (atPosition) {
            int count = writeAt(position, from);
            position += count;
            return count;
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += write(from[i]);
        }
        return total;
    }

    /** Of a file open for appending the end, which others move as well. */
    @Override
    public long position() throws IOException {
        requireOpen();
        if (choice.flags().append()) {
            return size();
        }
        synchronized (atPosition) {
            return position;
        }
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requireOpen();
        requireNotNegative(newPosition, "position");
        synchronized (atPosition) {
            position = newPosition;
        }
        return this;
    }

    // ---- anywhere

    @Override
    public int read(ByteBuffer into, long at) throws IOException {
        requireNotNegative(at, "position");
        requireReadable();
        requireTakes(into);
        return await(() -> file.read(at, into));
    }

    /** With APPEND at the end, wherever that was to be, as pwrite(2) does on Linux. */
    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        requireNotNegative(at, "position");
        requireWritable();
        return writeAt(at, from);
    }

    private int writeAt(long at, ByteBuffer from) throws IOException {
        int count = from.remaining();
        await(() -> {
            if (choice.flags().append()) {
                file.append(from);
            } else {
                file.write(at, from);
            }
            syncIfAsked(count);
            return count;
        });
        return count;
    }

    private void syncIfAsked(long count) {
        if (choice.sync() && count > 0) {
            file.sync();
        }
    }

    @Override
    public long size() throws IOException {
        return await(file::size);
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requireNotNegative(size, "size");
        requireWritable();
        synchronized (atPosition) {
            if (size < size()) {
                await(() -> {
                    file.truncate(size);
                    syncIfAsked(1);
                    return size;
                });
            }
            position = Math.min(position, size);
        }
        return this;
    }

    /** Content, size and times are on stable storage at every replica, whatever is asked for. */
    @Override
    public void force(boolean metaData) throws IOException {
        requireOpen();
        if (choice.flags().write()) {
            await(() -> {
                file.sync();
                return true;
            });
        }
    }

    // ---- from one channel to another

    /** Between two files of the farm the nodes copy; the bytes do not pass through this process. */
    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        requireReadable();
        if (!target.isOpen()) {
            throw new ClosedChannelException();
        }
        requireNotNegative(from, "position");
        requireNotNegative(count, "count");
        long left = Math.min(count, size() - from);
        if (left <= 0) {
            return 0;
        }
        if (target instanceof FarmFileChannel other) {
            other.requireWritable();
            if (other.isCopiedFrom(this)) {
                return other.copyHere(this, from, left);
            }
        }
        return Copying.to(this, from, left, target, CHUNK_BYTES);
    }

    private boolean isCopiedFrom(FarmFileChannel source) {
        return source != this && source.locks == locks && !choice.flags().append();
    }

    private long copyHere(FarmFileChannel source, long from, long count) throws IOException {
        synchronized (atPosition) {
            long copied = copied(source, from, position, count);
            position += copied;
            return copied;
        }
    }

    private long copied(FarmFileChannel source, long from, long to, long count) throws IOException {
        long total = 0;
        while (total < count) {
            long done = total;
            long run = Math.min(count - done, COPIED_AT_ONCE);
            long copied = await(() -> file.copyFrom(source.file, from + done, to + done, run));
            if (copied == 0) {
                break;
            }
            total += copied;
        }
        long all = total;
        await(() -> {
            syncIfAsked(all);
            return all;
        });
        return total;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireWritable();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        requireNotNegative(to, "position");
        requireNotNegative(count, "count");
        return to > size() ? 0 : Copying.from(source, this, to, count, CHUNK_BYTES);
    }

    /**
     * READ_ONLY and PRIVATE map a copy of the range, made in the directory for temporary files; a
     * later change of the file is not seen in it. READ_WRITE is not supported.
     */
    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) throws IOException {
        requireReadable();
        requireNotNegative(from, "position");
        requireNotNegative(size, "size");
        if (size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("size " + size + " is more than a buffer holds");
        }
        if (mode != MapMode.READ_ONLY && mode != MapMode.PRIVATE) {
            throw new UnsupportedOperationException("map " + mode + " of a file in the farm");
        }
        if (mode == MapMode.PRIVATE) {
            requireWritable();
        }
        if (from + size < 0 || from + size > size()) {
            throw new IOException(
                    "map " + file.path() + ": the range ends behind the end of the file");
        }
        return Copying.mapped(this, mode, from, size);
    }

    // ---- locks

    /** POSIX record locks of the farm: the mount's programs and other hosts see them. */
    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        requireLockable(shared);
        return locks.lock(this, from, size, shared);
    }

    @Override
    public @Nullable FileLock tryLock(long from, long size, boolean shared) throws IOException {
        requireLockable(shared);
        return locks.tryLock(this, from, size, shared);
    }

    private void requireLockable(boolean shared) throws ClosedChannelException {
        if (shared) {
            requireReadable();
        } else {
            requireWritable();
        }
    }

    // ---- the end

    /**
     * Waits until what was written is committed, also in an interrupted thread; but a channel that
     * an interrupt closes commits on its own, so that the interrupt is heard at once.
     */
    @Override
    protected void implCloseChannel() throws IOException {
        if (interrupted) {
            locks.abandon(this);
            file.handle()
                    .close()
                    .whenComplete((done, thrown) -> {
                        if (thrown != null) {
                            log.warn("close {} after an interrupt", file.path(), thrown);
                        }
                    });
            return;
        }
        boolean pending = Thread.interrupted();
        try {
            commitAndUnlock();
        } catch (FarmException e) {
            throw e.toIoException();
        } finally {
            if (pending) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** In this order: who has the lock next sees all that was done under this one. */
    private void commitAndUnlock() throws IOException {
        try {
            file.close();
        } finally {
            locks.releaseAll(this);
        }
    }
}
