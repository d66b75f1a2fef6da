package org.gridfarm.client.core.transfer;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What Linux tells of files of this host, and does with them, by calls that the JDK lacks.
 * Thread-safe.
 */
public interface LocalCalls {
    /** The first byte at or after the offset that may hold data; negative: none does. */
    long nextData(Path file, long offset) throws IOException;

    /**
     * Bytes that its blocks take on the disk; negative: that cannot be told. No link is followed.
     */
    long allocated(Path file) throws IOException;

    /**
     * It was changed at this moment, by the clock that dates what is written into it. No link is
     * followed.
     */
    void touch(Path file) throws IOException;

    /** Any byte may hold data, and a file is as old as its bytes. */
    LocalCalls UNKNOWN =
            new LocalCalls() {
                @Override
                public long nextData(Path file, long offset) {
                    return offset;
                }

                @Override
                public long allocated(Path file) {
                    return -1;
                }

                @Override
                public void touch(Path file) {}
            };
}
