package org.gridfarm.client.core.transfer.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A file of this host, read and written by the thread that calls. Many threads share its one
 * descriptor, and an interrupt closes a {@code FileChannel} for all of them, perhaps with the only
 * copy of what a file holds that lies nowhere any more. An {@code AsynchronousFileChannel} does not
 * know interrupts, and its executor runs everything here and now. Thread-safe.
 */
final class PlainFile implements Closeable {
    private final AsynchronousFileChannel channel;
    private final boolean writing;

    private PlainFile(AsynchronousFileChannel channel, boolean writing) {
        this.channel = channel;
        this.writing = writing;
    }

    static PlainFile open(Path path, Set<OpenOption> options, boolean writing) throws IOException {
        return new PlainFile(
                AsynchronousFileChannel.open(path, options, HereAndNow.EXECUTOR), writing);
    }

    /** It may be written by this process. */
    boolean isWriting() {
        return writing;
    }

    /** As {@code FileChannel.read}. */
    int read(ByteBuffer into, long offset) throws IOException {
        return done(channel.read(into, offset));
    }

    /** As {@code FileChannel.write}. */
    int write(ByteBuffer from, long offset) throws IOException {
        return done(channel.write(from, offset));
    }

    long size() throws IOException {
        return channel.size();
    }

    void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    /** The bytes are on stable storage when this returns. */
    void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private static int done(Future<Integer> over) throws IOException {
        try {
            return over.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) throw failure;
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError("it is over: nothing is waited for", e);
        }
    }

    private static final class HereAndNow extends AbstractExecutorService {
        static final ExecutorService EXECUTOR = new HereAndNow();

        @Override
        public void execute(Runnable step) {
            step.run();
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException("it serves every file of the process");
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new UnsupportedOperationException("it serves every file of the process");
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
