package org.gridfarm.client.cli.bench.api;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** A way for a Java program to files, all in one directory. For any number of threads. */
interface Door {
    /** A file that is open. For one thread. */
    interface Opened extends Closeable {
        /** All of the buffer. */
        void write(long offset, ByteBuffer from) throws IOException;

        /** As much as there is room for; it fails where the file ends before. */
        void read(long offset, ByteBuffer into) throws IOException;
    }

    /** As rows call it. */
    String label();

    void makeDirectory(String name) throws IOException;

    /** Makes a file that is not there. */
    Opened make(String name) throws IOException;

    /** One that is there, for reading and writing. */
    Opened open(String name) throws IOException;

    /** One that is there, for reading alone. */
    Opened openToRead(String name) throws IOException;

    /** Makes the file or empties it. */
    OutputStream output(String name) throws IOException;

    InputStream input(String name) throws IOException;

    /** Asks for the size of every entry; the number of entries. */
    long list(String directory) throws IOException;
}
