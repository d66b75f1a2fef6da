package org.gridfarm.storagenode.tasks;

import java.nio.file.Path;
import java.time.Duration;

/**
 * @param slots tasks at once; 0 runs none
 * @param mount where the farm is mounted here; tasks know it as {@code $GF_MOUNT}; empty if it is
 *     not
 * @param killGrace from SIGTERM to SIGKILL
 * @param scratch where there is no mount, each task works in a directory of its own in this one
 * @param minUid accounts below are the system's and run nothing
 * @param allowRoot root's own tasks run as root, though without its capabilities: for a farm of
 *     root's own on one machine
 * @param spool where output that is long is kept for a day; the node's own
 * @param spoolReserve bytes that this leaves free on its disk
 * @param memory bytes of this host that tasks may ask for, all together
 * @param gpus that tasks may ask for; numbered from 0 on
 */
public record TaskSettings(
        int slots,
        String mount,
        Duration killGrace,
        Path scratch,
        int minUid,
        boolean allowRoot,
        Path spool,
        long spoolReserve,
        long memory,
        int gpus) {
    public static final int MIN_UID_DEFAULT = 1000;

    private static final long LEFT_TO_OTHERS = 10; // a tenth of the memory, for the farm's own

    /** Nine tenths of what this host has. */
    public static long memoryOfThisHost() {
        String info = ProcFiles.text(Path.of("/proc/meminfo")).orElse("");
        long all = ProcFiles.number(info, "MemTotal:") << 10;
        return all - all / LEFT_TO_OTHERS;
    }
}
