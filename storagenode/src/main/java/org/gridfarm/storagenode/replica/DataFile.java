package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.storagenode.disk.DiskCalls;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The plain file of a replica: whole transfers, block sums of what it holds now, holes. Threads may
 * read together.
 */
final class DataFile implements AutoCloseable {
    private final Path path;
    private final DiskCalls calls;
    private final RandomAccessFile file;
    private final FileChannel channel;

    /** Opens the file, or makes it. */
    DataFile(Path path, DiskCalls calls) throws IOException {
        this.path = path;
        this.calls = calls;
        this.file = new RandomAccessFile(path.toFile(), "rw");
        this.channel = file.getChannel();
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Cuts or, with a hole, grows. */
    void resize(long size) throws IOException {
        file.setLength(size);
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
        long at = offset;
        for (ByteBuffer part : parts) {
            ByteBuffer left = part.duplicate();
            while (left.hasRemaining()) {
                at += channel.write(left, at);
            }
        }
    }

    /** The sum of the block as it is; the buffer of a block's length then holds what was read. */
    int sum(long block, ByteBuffer buffer) throws IOException {
        buffer.clear();
        long at = Blocks.start(block);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, at + buffer.position()) < 0) {
                break;
            }
        }
        return Blocks.sum(buffer.flip());
    }

    void force() throws IOException {
        calls.force(channel);
    }

    void allocate(long offset, long length, boolean keepSize) throws IOException {
        calls.allocate(path, channel, offset, length, keepSize);
    }

    void punch(long offset, long length) throws IOException {
        calls.punch(path, channel, offset, length);
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
        file.close();
    }
}
