package org.gridfarm.client.core.transfer;

import java.io.IOException;
import java.nio.file.Path;

/** Where files of this host have data, which the JDK has no call for. Thread-safe. */
@FunctionalInterface
public interface LocalHoles {
    /** The first byte at or after the offset that may hold data; negative: none does. */
    long nextData(Path file, long offset) throws IOException;

    /** Any byte may hold data. */
    LocalHoles UNKNOWN = (file, offset) -> offset;
}
