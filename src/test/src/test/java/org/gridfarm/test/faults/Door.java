package org.gridfarm.test.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** One way into the farm: a mount, or the library. */
interface Door {
    /** An open file; every call may fail, and says so by an IOException. */
    interface Open extends AutoCloseable {
        long size() throws IOException;

        /** Bytes read into what remains of the buffer; 0 or less at the end. */
        int read(long offset, ByteBuffer into) throws IOException;

        default byte[] readAll() throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate((int) size());
            while (bytes.hasRemaining() && read(bytes.position(), bytes) > 0) {}
            return Arrays.copyOf(bytes.array(), bytes.position());
        }

        void write(long offset, byte[] bytes) throws IOException;

        void append(byte[] bytes) throws IOException;

        void truncate(long size) throws IOException;

        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }

    Open create(String name) throws IOException;

    Open change(String name) throws IOException;

    Open appending(String name) throws IOException;

    Open reading(String name) throws IOException;

    default byte[] read(String name) throws IOException {
        try (Open file = reading(name)) {
            return file.readAll();
        }
    }

    void rename(String from, String to) throws IOException;
}
