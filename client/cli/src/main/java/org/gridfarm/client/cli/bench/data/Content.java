package org.gridfarm.client.cli.bench.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** Files of bytes that do not compress, and loops over their pieces. */
final class Content {
    static final int MIB = 1 << 20;
    private static final ByteBuffer BYTES = random();

    private Content() {}

    private static ByteBuffer random() {
        byte[] bytes = new byte[MIB];
        new Random(1).nextBytes(bytes);
        return ByteBuffer.allocateDirect(MIB).put(bytes).flip().asReadOnlyBuffer();
    }

    /** At most a MiB of them. */
    static ByteBuffer of(int length) {
        return BYTES.slice(0, length);
    }

    static FileChannel make(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, options);
    }

    static void remove(Path directory, String... names) throws IOException {
        for (String name : names) Files.deleteIfExists(directory.resolve(name));
    }

    /** Pieces of a MiB from the offset on, each so much behind the one before. */
    static void write(FileChannel file, long from, long step, long count) throws IOException {
        for (long i = 0; i < count; i++) put(file, from + i * step, MIB);
    }

    static void put(FileChannel file, long offset, int length) throws IOException {
        ByteBuffer bytes = of(length);
        while (bytes.hasRemaining()) file.write(bytes, offset + bytes.position());
    }

    static void append(FileChannel file, int length) throws IOException {
        ByteBuffer bytes = of(length);
        while (bytes.hasRemaining()) file.write(bytes);
    }

    static void read(FileChannel file, long from, long step, long count) throws IOException {
        ByteBuffer into = ByteBuffer.allocateDirect(MIB);
        for (long i = 0; i < count; i++) get(file, from + i * step, into.clear());
    }

    /** As many bytes as there is room for; the file must have them. */
    static void get(FileChannel file, long offset, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            int got = file.read(into, offset + into.position());
            if (got < 0) throw new IOException("the file ends at " + (offset + into.position()));
        }
    }
}
