package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.doctor.Examination;
import org.gridfarm.client.cli.doctor.Finding;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "doctor",
        header = "Looks for what is wrong between this machine and the farm.",
        description = {
            "",
            "Java, FUSE and passthrough, clock, configuration, certificate, and whether every server is reached.",
            "Exit status 0: nothing is bad; 1: something is. Nothing is changed."
        },
        mixinStandardHelpOptions = true)
public final class Doctor implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        List<Finding> findings = new Examination().of(options::configuration);
        Findings.print(findings, options.json);
        return Findings.status(findings);
    }
}
