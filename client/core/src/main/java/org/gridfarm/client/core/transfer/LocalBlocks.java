package org.gridfarm.client.core.transfer;

import java.io.IOException;
import java.nio.file.Path;

/** Which blocks of a file of this host hold data, which the JDK has no call for. Thread-safe. */
public interface LocalBlocks {
    /** The first byte at or after the offset that may hold data; negative: none does. */
    long nextData(Path file, long offset) throws IOException;

    /**
     * Bytes that its blocks take on the disk; negative: that cannot be told. No link is followed.
     */
    long allocated(Path file) throws IOException;

    /** Any byte may hold data. */
    LocalBlocks UNKNOWN =
            new LocalBlocks() {
                @Override
                public long nextData(Path file, long offset) {
                    return offset;
                }

                @Override
                public long allocated(Path file) {
                    return -1;
                }
            };
}
