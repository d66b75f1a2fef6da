package org.gridfarm.client.core.transfer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** The plain file of a replica on this host, granted by its node. Thread-safe. */
final class LocalReplica {
    final LocalFile file;
    final Peer node;
    final long lease;
    private final FileChannel channel;

    private LocalReplica(LocalFile file, Peer node, long lease, FileChannel channel) {
        this.file = file;
        this.node = node;
        this.lease = lease;
        this.channel = channel;
    }

    static LocalReplica open(OpenLocalReply granted, boolean write, Peer node) throws IOException {
        FileChannel channel = FileChannel.open(Path.of(granted.getPath()), StandardOpenOption.READ);
        return new LocalReplica(
                new LocalFile(granted.getPath(), granted.getSize(), write),
                node,
                granted.getLease(),
                channel);
    }

    /**
     * The bytes, or null where the file cannot be read any more or has fewer: then they come from
     * the nodes.
     */
    @Nullable ByteBuf read(long offset, int length) {
        ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(length, length);
        try {
            while (bytes.writableBytes() > 0) {
                int got =
                        bytes.writeBytes(
                                channel, offset + bytes.writerIndex(), bytes.writableBytes());
                if (got < 0) {
                    bytes.release();
                    return null;
                }
            }
            return bytes;
        } catch (IOException e) {
            // Also an interrupt, which closes the channel; the nodes' answer tells what is really
            // wrong.
            bytes.release();
            return null;
        }
    }

    /** Nanoseconds since 1970; 0 where it cannot be told. */
    long modified() {
        try {
            return Files.getLastModifiedTime(Path.of(file.path())).to(TimeUnit.NANOSECONDS);
        } catch (IOException e) {
            return 0; // then every time of the object counts as one of writing
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
