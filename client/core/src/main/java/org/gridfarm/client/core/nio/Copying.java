package org.gridfarm.client.core.nio;

import org.gridfarm.protocol.name.LocalPath;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Bytes from channel to channel, by way of this process. */
final class Copying {
    private static final int MAP_CHUNK_BYTES = 4 << 20;

    private Copying() {}

    /** Until the target takes no more; the number of bytes that it took. */
    static long to(
            FileChannel source, long from, long count, WritableByteChannel target, int chunkBytes)
            throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(count, chunkBytes));
        long total = 0;
        while (total < count) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), count - total));
            if (source.read(chunk, from + total) <= 0) {
                return total;
            }
            chunk.flip();
            while (chunk.hasRemaining()) {
                int taken = target.write(chunk);
                if (taken <= 0) {
                    return total;
                }
                total += taken;
            }
        }
        return total;
    }

    /** Until the source has no more. */
    static long from(
            ReadableByteChannel source, FileChannel target, long to, long count, int chunkBytes)
            throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(count, chunkBytes));
        long total = 0;
        boolean more = true;
        while (more && total < count) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), count - total));
            while (more && chunk.hasRemaining()) {
                more = source.read(chunk) > 0;
            }
            chunk.flip();
            total += target.write(chunk, to + total);
        }
        return total;
    }

    /** The copy has no name any more when it is given out; it goes with the last mapping of it. */
    static MappedByteBuffer mapped(
            FileChannel source, FileChannel.MapMode mode, long from, long size) throws IOException {
        Path copy =
                Files.createTempFile(
                        LocalPath.of(System.getProperty("java.io.tmpdir")), "gf-map-", null);
        try (FileChannel local =
                FileChannel.open(
                        copy,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE)) {
            if (to(source, from, size, local, MAP_CHUNK_BYTES) < size) {
                throw new EOFException("the file was truncated while it was being mapped");
            }
            return local.map(mode, 0, size);
        }
    }
}
