package org.gridfarm.client;

import org.gridfarm.client.core.FarmOutputStream;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a file from its begin on, or at its end where it was opened for appending. Sends pieces of
 * 1 MiB, several at once; a failure is told by the next call, and again by {@link #close()}. For
 * one thread.
 */
public final class FarmOutput extends OutputStream {
    private final FarmOutputStream out;

    FarmOutput(FarmOutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        out.write(from, offset, length);
    }

    /** What was written is at every copy's node, in memory, and seen by who reads the file. */
    @Override
    public void flush() throws IOException {
        out.flush();
    }

    /** What was written is on stable storage at every copy, and the size is durable. */
    public void sync() throws IOException {
        out.sync();
    }

    /** All copies hold what was written, with its checksums. */
    @Override
    public void close() throws IOException {
        out.close();
    }
}
