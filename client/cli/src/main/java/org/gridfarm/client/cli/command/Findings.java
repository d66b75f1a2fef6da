package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.doctor.Finding;

import java.util.List;
import java.util.Map;

/** How {@code gf doctor} and {@code gf auth check} tell what they found. */
final class Findings {
    private Findings() {}

    static void print(List<Finding> findings, boolean json) {
        if (json) {
            Output.json(Map.of("findings", findings.stream().map(Finding::toMap).toList()));
            return;
        }
        for (Finding finding : findings) {
            String mark =
                    switch (finding.verdict()) {
                        case GOOD -> "good    ";
                        case WARNING -> "warning ";
                        case BAD -> "BAD     ";
                    };
            System.out.println(Output.name(mark + finding.subject() + ": " + finding.text()));
            if (!finding.cure().isEmpty()) {
                System.out.println("        -> " + finding.cure());
            }
        }
    }

    /** 1 where something is bad. */
    static int status(List<Finding> findings) {
        return findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.BAD) ? 1 : 0;
    }
}
