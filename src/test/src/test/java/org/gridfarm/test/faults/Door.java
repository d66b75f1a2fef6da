package org.gridfarm.test.faults;

import java.io.IOException;

/** One way into the farm: a mount, or the library. */
interface Door {
    /** An open file; every call may fail, and says so by an IOException. */
    interface Open extends AutoCloseable {
        byte[] readAll() throws IOException;

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
