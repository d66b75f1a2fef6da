package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Entropy;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Names this boot of the machine: while it is the same, what was written to a file is still in the
 * page cache.
 */
public final class BootId {
    private static final Path SOURCE = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    public static long read(Entropy entropy) {
        try {
            String text = Files.readString(SOURCE).strip().replace("-", "");
            return Long.parseUnsignedLong(text.substring(0, 16), 16);
        } catch (IOException | RuntimeException e) {
            // Every start then counts as a boot: more is compared than need be, nothing is trusted
            // wrongly.
            LoggerFactory.getLogger(BootId.class).info("no {}: {}", SOURCE, e.toString());
            return entropy.nextLong();
        }
    }
}
