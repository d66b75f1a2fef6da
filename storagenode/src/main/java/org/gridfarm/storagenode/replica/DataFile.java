package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.OwnerOnly;
import org.gridfarm.storagenode.disk.QuietFile;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;

/**
 * The plain file of a replica: whole transfers, block sums of what it holds now, holes. Threads may
 * read together.
 *
 * <p>It is open for writing only between a change and {@link #rest}, so that a mount can find out
 * whether a mapping of a local writer is still there: it would be the only one who has.
 */
final class DataFile implements AutoCloseable {
    private final Path path;
    private final DiskCalls calls;
    private final LongAdder readForSums;
    private final FileChannel channel;
    private @Nullable RandomAccessFile writing;
    private @Nullable QuietFile quiet; // guarded by this
    private boolean looked; // whether it is sparse
    private boolean sparse; // or longer on disk than its size: the size does not tell the space

    private DataFile(Path path, DataDirectory disk, @Nullable RandomAccessFile writing)
            throws IOException {
        this.path = path;
        this.calls = disk.calls();
        this.readForSums = disk.readForSums();
        this.writing = writing;
        this.channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    /** It was changed, and not through here: it is looked at anew when that is asked for. */
    void wasChanged() {
        looked = false;
    }

    /** False: it takes on disk what its size says. Who only reads does not ask. */
    boolean isSparse() throws IOException {
        if (!looked) {
            sparse = allocated() != Space.ofSize(size());
            looked = true;
        }
        return sparse;
    }

    static DataFile open(Path path, DataDirectory disk) throws IOException {
        return new DataFile(path, disk, null);
    }

    /** A new one, or what lies there. */
    static DataFile make(Path path, DataDirectory disk) throws IOException {
        if (!Files.exists(path)) {
            OwnerOnly.createFile(path); // the next line would leave its mode to the umask
        }
        RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw");
        try {
            DataFile file = new DataFile(path, disk, made);
            file.looked = made.length() == 0;
            return file;
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    private RandomAccessFile writing() throws IOException {
        RandomAccessFile now = writing;
        if (now == null) {
            if (!Files.exists(path)) {
                throw new NoSuchFileException(path.toString()); // the next line would make it anew
            }
            now = new RandomAccessFile(path.toFile(), "rw");
            writing = now;
        }
        return now;
    }

    /** No change follows soon. */
    void rest() throws IOException {
        RandomAccessFile now = writing;
        writing = null;
        if (now != null) {
            now.close();
        }
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Cuts or, with a hole, grows. */
    void resize(long size) throws IOException {
        sparse |= size > size();
        writing().setLength(size);
    }

    /**
     * Appends so many bytes to the buffer; returns how many it got, fewer only at the end of the
     * file.
     */
    int read(ByteBuf buffer, long offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int count = buffer.writeBytes(channel, offset + done, length - done);
            if (count < 0) {
                break;
            }
            done += count;
        }
        return done;
    }

    void write(ByteBuffer[] parts, long offset) throws IOException {
        FileChannel to = writing().getChannel();
        sparse = sparse || offset > size();
        long at = offset;
        for (ByteBuffer part : parts) {
            ByteBuffer left = part.duplicate();
            while (left.hasRemaining()) {
                at += to.write(left, at);
            }
        }
    }

    /** Who takes sums is no reader of the file. */
    private synchronized QuietFile quiet() throws IOException {
        QuietFile now = quiet;
        if (now == null) {
            now = calls.openQuietly(path);
            quiet = now;
        }
        return now;
    }

    /** The sum of the block as it is; the buffer of a block's length then holds what was read. */
    int sum(long block, ByteBuffer buffer) throws IOException {
        buffer.clear();
        long at = Blocks.start(block);
        QuietFile from = quiet();
        while (buffer.hasRemaining()) {
            if (from.read(buffer, at + buffer.position()) < 0) {
                break;
            }
        }
        readForSums.add(buffer.position());
        return Blocks.sum(buffer.flip());
    }

    /** Whoever wrote: the kernel keeps dirty pages by file. */
    void force() throws IOException {
        calls.force(channel);
    }

    void allocate(long offset, long length, boolean keepSize) throws IOException {
        sparse = true;
        calls.allocate(path, writing().getChannel(), offset, length, keepSize);
    }

    void punch(long offset, long length) throws IOException {
        sparse = true;
        calls.punch(path, writing().getChannel(), offset, length);
    }

    long nextData(long offset) throws IOException {
        return calls.nextData(path, channel, offset);
    }

    long nextHole(long offset) throws IOException {
        return calls.nextHole(path, channel, offset);
    }

    long allocated() throws IOException {
        return calls.allocated(path, channel);
    }

    @Override
    public void close() throws IOException {
        try (channel;
                QuietFile read = closing()) {
            rest();
        }
    }

    private synchronized @Nullable QuietFile closing() {
        return quiet;
    }
}
