package org.gridfarm.client.cli.health;

import java.util.List;

/**
 * One thing that is wrong.
 *
 * @param count of files, batches or what the code is about; 1 where there is nothing to count
 * @param cause one line
 * @param cure the command or action that helps
 * @param details further lines, for --detail
 */
public record HealthFinding(
        HealthCode code, long count, String cause, String cure, List<String> details) {
    public HealthFinding {
        details = List.copyOf(details);
    }

    static HealthFinding of(HealthCode code, long count, String cause, String cure) {
        return new HealthFinding(code, count, cause, cure, List.of());
    }
}
