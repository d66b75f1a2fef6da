package org.gridfarm.storagenode.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that is read without a trace in its access time, by which a mount finds out what its
 * kernel has read. Thread-safe.
 */
public interface QuietFile extends Closeable {
    /**
     * @param into direct
     * @return how many bytes, or -1 at the end of the file
     */
    int read(ByteBuffer into, long offset) throws IOException;
}
