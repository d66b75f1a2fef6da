package org.gridfarm.client.core.transfer.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Whether a plain file that has still the same time of modification has still the same bytes. */
final class ChangeTimes {
    /** A time moves in steps: a second change may fall into the step of the first. */
    private static final long STEP_NANOS_MAX = Duration.ofSeconds(1).toNanos();

    /** Here the first store into a mapping moves it, too; on tmpfs it does not. */
    private static final Set<String> OF_MAPPINGS = Set.of("ext2", "ext3", "ext4", "xfs", "btrfs");

    /** By device: to find out takes long. */
    private static final Map<Object, Boolean> TELLING = new ConcurrentHashMap<>();

    private ChangeTimes() {}

    /**
     * True when it will move with the next change.
     *
     * @param modified what it is now, nanoseconds since 1970; 0: not known
     */
    static boolean tell(Path file, long modified) {
        long now = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
        try {
            return modified != 0
                    && now - modified > STEP_NANOS_MAX
                    && tells(file, Files.getAttribute(file, "unix:dev"));
        } catch (IOException e) {
            return false; // then it is compared
        }
    }

    private static boolean tells(Path file, Object device) throws IOException {
        Boolean known = TELLING.get(device);
        if (known == null) {
            known = OF_MAPPINGS.contains(Files.getFileStore(file).type());
            TELLING.put(device, known);
        }
        return known;
    }
}
