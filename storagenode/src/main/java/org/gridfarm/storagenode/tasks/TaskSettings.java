package org.gridfarm.storagenode.tasks;

import java.nio.file.Path;
import java.time.Duration;

/**
 * @param slots tasks at once; 0 runs none
 * @param mount where the farm is mounted here; what stands for {@code {mount}} in tasks; empty if
 *     it is not
 * @param killGrace from SIGTERM to SIGKILL
 * @param scratch the working directory of a task where there is no mount
 */
public record TaskSettings(int slots, String mount, Duration killGrace, Path scratch) {}
