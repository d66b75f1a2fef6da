package org.gridfarm.client.mount;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.rpc.Buffers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;

/**
 * The data of writes that wait for their turn, in a file without a name: the kernel has given them
 * away and this process is to stay small. Thread-safe.
 */
final class WaitingWrites {
    private static final Logger log = LoggerFactory.getLogger(WaitingWrites.class);
    private static final Path FOLDER = Path.of("/var/tmp"); // not in memory, as /tmp often is

    private final BitSet used = new BitSet(); // @GuardedBy this
    private @Nullable FileChannel file; // @GuardedBy this
    private final int slotBytes;

    /** One write's data; to be taken or dropped. */
    record Slot(FileChannel file, int number, int bytes) {}

    WaitingWrites(int slotBytes) {
        this.slotBytes = slotBytes;
    }

    /**
     * @param data at most as long as a slot
     */
    Slot put(ByteBuffer data) {
        Slot slot = free(data.remaining());
        try {
            long at = (long) slot.number * slotBytes;
            while (data.hasRemaining()) {
                at += slot.file.write(data, at);
            }
            return slot;
        } catch (IOException e) {
            drop(slot);
            throw new UncheckedIOException("keeping the data of a write that waits", e);
        }
    }

    ByteBuf take(Slot slot) {
        ByteBuf bytes = Buffers.POOL.directBuffer(slot.bytes);
        try {
            long from = (long) slot.number * slotBytes;
            while (bytes.writableBytes() > 0) {
                int more =
                        bytes.writeBytes(
                                slot.file, from + bytes.writerIndex(), bytes.writableBytes());
                if (more < 0) {
                    throw new IOException("its file has become shorter");
                }
            }
            return bytes;
        } catch (IOException e) {
            bytes.release();
            throw new UncheckedIOException("the data of a write that waited", e);
        } finally {
            drop(slot);
        }
    }

    synchronized void drop(Slot slot) {
        used.clear(slot.number);
        if (used.isEmpty()) {
            try {
                slot.file.truncate(0);
            } catch (IOException e) {
                log.warn("the room of writes that waited is kept: {}", e.getMessage());
            }
        }
    }

    private synchronized Slot free(int bytes) {
        FileChannel open = file;
        if (open == null) {
            open = create();
            file = open;
        }
        int number = used.nextClearBit(0);
        used.set(number);
        return new Slot(open, number, bytes);
    }

    private static FileChannel create() {
        try {
            Path path =
                    Files.isWritable(FOLDER)
                            ? Files.createTempFile(FOLDER, "gf-mount", null)
                            : Files.createTempFile("gf-mount", null);
            try {
                return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } finally {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a file for writes that wait", e);
        }
    }
}
