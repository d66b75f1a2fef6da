package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One stream that a task writes: its beginning in memory, and all of it in a file once it is longer
 * than that. It can be read while it grows. Thread-safe.
 */
final class TaskOutput {
    /** Told with the outcome. */
    static final int HEAD_BYTES = 16 << 10;

    private static final int PIPE_BYTES = 64 << 10;
    private static final int ROOM_CHECKED_EVERY = 4 << 20;

    private final Spool spool;
    private final Path file;
    private final Clock clock;

    @GuardedBy("this")
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();

    @GuardedBy("this")
    private long size;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private @Nullable IOException failure;

    @GuardedBy("this")
    private CompletableFuture<Boolean> news = new CompletableFuture<>();

    TaskOutput(Spool spool, Path file, Clock clock) {
        this.spool = spool;
        this.file = file;
        this.clock = clock;
    }

    /** Reads to the end, on a thread of its own. A task that is not read from any more ends. */
    Thread follow(InputStream in, String name) {
        return Thread.ofVirtual().name(name).start(() -> read(in));
    }

    private void read(InputStream in) {
        byte[] buffer = new byte[PIPE_BYTES];
        FileChannel channel = null;
        long unchecked = ROOM_CHECKED_EVERY;
        try (in) {
            int count;
            while ((count = in.read(buffer)) >= 0) {
                if (channel == null && size() + count > HEAD_BYTES) {
                    spool.makeDirectory();
                    channel =
                            FileChannel.open(
                                    file,
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE,
                                    StandardOpenOption.TRUNCATE_EXISTING);
                    writeFully(channel, head().asReadOnlyByteBuffer());
                }
                if (channel != null) {
                    unchecked += count;
                    if (unchecked > ROOM_CHECKED_EVERY) {
                        spool.requireRoom();
                        unchecked = 0;
                    }
                    writeFully(channel, ByteBuffer.wrap(buffer, 0, count));
                }
                add(buffer, count, channel == null);
            }
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            end();
        }
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void add(byte[] bytes, int count, boolean toHead) {
        CompletableFuture<Boolean> told;
        synchronized (this) {
            if (toHead) {
                head.write(bytes, 0, count);
            }
            size += count;
            told = news;
            news = new CompletableFuture<>();
        }
        told.complete(true);
    }

    private synchronized void fail(IOException e) {
        failure = e;
    }

    private void end() {
        CompletableFuture<Boolean> told;
        synchronized (this) {
            ended = true;
            told = news;
        }
        told.complete(true);
    }

    /** The beginning: all of it, if it is no longer than {@link #HEAD_BYTES}. */
    synchronized ByteString head() {
        return ByteString.copyFrom(head.toByteArray());
    }

    synchronized long size() {
        return size;
    }

    /** Why not all of it could be kept. */
    synchronized Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * What there is from a place on, as soon as there is some, the stream has ended, or the time is
     * over.
     */
    CompletableFuture<ReadTaskOutputReply> read(long from, int max, Duration most) {
        CompletableFuture<Boolean> awaited;
        synchronized (this) {
            if (from < size || ended || most.isZero()) {
                awaited = CompletableFuture.completedFuture(true);
            } else {
                awaited = news.copy();
                clock.after(most, () -> awaited.complete(false));
            }
        }
        return awaited.thenApplyAsync(_ -> now(from, max), Thread::startVirtualThread);
    }

    private ReadTaskOutputReply now(long from, int max) {
        ByteString start;
        boolean isAll;
        long there;
        synchronized (this) {
            start = head();
            there = size;
            isAll = ended;
        }
        ByteString data;
        if (from < start.size()) {
            data = start.substring((int) from, (int) Math.min(start.size(), from + max));
        } else {
            data =
                    from < there
                            ? inFile(file, from, (int) Math.min(max, there - from))
                            : ByteString.EMPTY;
        }
        return ReadTaskOutputReply.newBuilder()
                .setData(data)
                .setEnd(isAll && from + data.size() >= there)
                .build();
    }

    /** What a file holds there, less at its end. */
    static ByteString inFile(Path file, long from, int max) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long room = Math.min(max, Math.max(0, channel.size() - from));
            ByteBuffer buffer = ByteBuffer.allocate((int) room);
            int read = 0;
            while (read >= 0 && buffer.hasRemaining()) {
                read = channel.read(buffer, from + buffer.position());
            }
            return ByteString.copyFrom(buffer.flip());
        } catch (NoSuchFileException e) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "task output",
                    file.getFileName().toString(),
                    "the node keeps it no more",
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
