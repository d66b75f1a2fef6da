package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.doctor.AuthExamination;
import org.gridfarm.client.cli.doctor.Finding;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;

@Command(
        name = "auth",
        header = "Who you are to the farm, and who its servers are to you.",
        mixinStandardHelpOptions = true)
public final class AuthCommand {
    @Command(
            name = "check",
            header =
                    "Walks from your key to the servers and names the link that fails, and what helps.",
            description = {
                "",
                "Key file, dates, proxies, trusted authorities, your name in the map; then of each server its certificate,",
                "host name and role, whom it takes you for, and its clock. Without HOST every server of the configuration.",
                "Exit status 0: every link holds; 1: one does not. Nothing is changed."
            },
            mixinStandardHelpOptions = true)
    int check(
            @Mixin FarmOptions options,
            @Parameters(arity = "0..*", paramLabel = "HOST[:PORT]") @Nullable List<String> hosts) {
        List<Finding> findings =
                AuthExamination.of(options.configuration(), hosts == null ? List.of() : hosts);
        Findings.print(findings, options.json);
        return Findings.status(findings);
    }
}
