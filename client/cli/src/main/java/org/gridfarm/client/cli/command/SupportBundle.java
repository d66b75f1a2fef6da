package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.health.FarmCheck;
import org.gridfarm.client.cli.support.Bundle;
import org.gridfarm.client.cli.support.HostFacts;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

@Command(
        name = "support-bundle",
        header = "Gathers what somebody who helps needs to see, without secrets, in one zip file.",
        description = {
            "",
            "Of the farm: status, nodes, health, clients, delegations, slow requests. Of this machine: configurations, logs, metrics, thread dumps,",
            "versions, mounts. Passwords, tokens and keys are taken out; names of people, hosts and files stay in. Run it on each host",
            "in question, as root to see all daemons. Exit status 0 even where parts are missing; they are named."
        },
        mixinStandardHelpOptions = true)
public final class SupportBundle implements Callable<Integer> {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "the zip file (gridfarm-support-TIME.zip here)")
    private @Nullable Path output;

    @Option(
            names = "--config-dir",
            paramLabel = "DIR",
            description = "also the *.toml files there, besides /etc/gridfarm; may be repeated")
    private List<Path> configurations = List.of();

    @Option(
            names = "--log-dir",
            paramLabel = "DIR",
            description =
                    "also the *.log files there, besides what journald has of a day; may be repeated")
    private List<Path> logs = List.of();

    @Override
    public Integer call() {
        String name = "gridfarm-support-" + STAMP.format(Instant.now());
        Path file = output == null ? Path.of(name + ".zip") : output;
        List<String> missing;
        try (Bundle bundle = new Bundle(file, name)) {
            bundle.add("version.txt", () -> Output.VERSION + "\n");
            farm(bundle);
            List<Path> folders = new ArrayList<>(configurations);
            folders.add(Path.of("/etc/gridfarm"));
            new HostFacts(bundle).add(folders, logs);
            missing = bundle.missing();
        }
        missing.forEach(part -> System.err.println("gf: support-bundle: missing " + part));
        System.out.println(file);
        return 0;
    }

    private void farm(Bundle bundle) {
        List<Gridfarm> opened = new ArrayList<>();
        try {
            bundle.add(
                    "farm/health.txt",
                    () ->
                            FarmCheck.all(
                                            options.configuration(),
                                            () -> {
                                                opened.add(options.connect());
                                                return opened.getFirst();
                                            },
                                            Instant.now())
                                    .stream()
                                    .map(f -> f.code() + ": " + f.cause() + "\n")
                                    .collect(Collectors.joining()));
            if (opened.isEmpty()) return; // why is in health.txt
            Gridfarm farm = opened.getFirst();
            bundle.add(
                    "farm/status.txt",
                    () ->
                            farm.callLeader(
                                            MetadataMethods.CLUSTER_STATUS,
                                            ClusterStatusRequest.getDefaultInstance())
                                    .toString());
            bundle.add(
                    "farm/nodes.txt",
                    () ->
                            farm.nodes().stream()
                                    .map(Object::toString)
                                    .collect(Collectors.joining("\n")));
            for (String what : List.of("clients", "delegations", "slow", "matrix")) {
                bundle.add(
                        "farm/" + what + ".json",
                        () -> AdminCalls.call(farm, what, Map.of()).toPrettyString());
            }
        } finally {
            opened.forEach(SupportBundle::close);
        }
    }

    private static void close(Gridfarm farm) {
        try {
            farm.close();
        } catch (FarmException e) {
            System.err.println("gf: " + e.getMessage());
        }
    }
}
