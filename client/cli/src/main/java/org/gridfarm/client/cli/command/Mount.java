package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.cluster.MountProcess;
import org.gridfarm.client.mount.MountMain;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "mount",
        header = "Mounts the farm on a directory.",
        description = {
            "",
            "Options (-o, separated by commas): ro, nosuid, nodev, noexec, noatime, nodiratime, allow_other,",
            "timeout=SECONDS (10), node=NAME,",
            "cache=coherent|ttl|none, ttl=SECONDS, nopassthrough, nostandby, source=TEXT (as df shows it),",
            "uid=N, gid=N, uidmap=LOCAL:FARM[:COUNT], gidmap=... (which numbers of users and groups mean whom).",
            "The mount outlives the process that serves it: a supervisor starts another, and one stands by.",
            "Returns when the mount answers; -f stays in the foreground instead. gf umount DIR ends it."
        },
        mixinStandardHelpOptions = true)
public final class Mount implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-f", "--foreground"},
            description = "do not go into the background")
    private boolean foreground;

    @Option(
            names = "--upgrade",
            description = {
                "the mount that is there goes on, open files included, with this program and these",
                "options; what the kernel knows of it (ro, allow_other, ...) stays"
            })
    private boolean upgrade;

    @Option(names = "--node", paramLabel = "NAME", description = "storage node this machine is")
    private @Nullable String node;

    @Option(names = "-o", paramLabel = "OPTION,...", description = "mount options")
    private List<String> mountOptions = List.of();

    @Parameters(paramLabel = "DIR")
    private Path directory = Path.of(".");

    @Override
    public Integer call() {
        List<String> arguments = new ArrayList<>(List.of("--config", options.file().toString()));
        if (node != null) {
            arguments.addAll(List.of("--node", node));
        }
        for (String option : mountOptions) {
            arguments.addAll(List.of("-o", option));
        }
        arguments.add(directory.toAbsolutePath().normalize().toString());
        MountMain.check(arguments);
        if (upgrade) {
            return MountProcess.upgrade(directory, arguments);
        }
        return foreground
                ? MountProcess.runHere(directory, arguments)
                : MountProcess.startInBackground(directory, arguments);
    }
}
