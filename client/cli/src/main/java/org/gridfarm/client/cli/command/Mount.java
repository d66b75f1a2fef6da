package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.cluster.MountProcess;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.LocalPath;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "mount",
        header = "Mounts the farm on a directory.",
        description = {
            "",
            "Options (-o, separated by commas): ro, nosuid, nodev, noexec, noatime, nodiratime, allow_other,",
            "timeout=SECONDS (10), node=NAME, account=NAME (which of yours),",
            "cache=coherent|ttl|none, ttl=SECONDS, nopassthrough, nostandby, writebehind=born|on|off, source=TEXT (as df shows it),",
            "uid=N, gid=N, uidmap=LOCAL:FARM[:COUNT], gidmap=... (which numbers of users and groups mean whom),",
            "names (users and groups are who has the same name in the farm, whatever the numbers),",
            "http=HOST:PORT (metrics and health),",
            "The mount outlives the process that serves it: a supervisor starts another, and one stands by.",
            "Returns when the mount answers; -f stays in the foreground instead. gf umount DIR ends it."
        },
        mixinStandardHelpOptions = true)
public final class Mount implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-f", "--foreground"},
            description = "do not go into the background")
    private boolean foreground;

    @Option(
            names = "--upgrade",
            description = {
                "the mount that is there goes on, open files included, with this program, its",
                "configuration, and its options or those given now; what the kernel knows of it (ro,",
                "allow_other, ...) stays"
            })
    private boolean upgrade;

    @Option(names = "--node", paramLabel = "NAME", description = "storage node this machine is")
    private @Nullable String node;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = {
                "linux (default), or jnr: through libfuse 2, without passthrough and without another",
                "process that goes on when the one that serves dies"
            })
    private @Nullable String engine;

    @Option(names = "-o", paramLabel = "OPTION,...", description = "mount options")
    private List<String> mountOptions = List.of();

    @Parameters(paramLabel = "DIR")
    private Path directory = Path.of(".");

    @Override
    public Integer call() {
        plain(directory.toAbsolutePath().normalize());
        if (upgrade) {
            return MountProcess.upgrade(directory, Optional.ofNullable(options.config), asked());
        }
        plain(options.file());
        List<String> arguments = new ArrayList<>(List.of("--config", options.file().toString()));
        arguments.addAll(asked());
        arguments.add(directory.toAbsolutePath().normalize().toString());
        MountProcess mount = MountProcess.of(directory, arguments);
        return foreground ? mount.runHere() : mount.startInBackground();
    }

    private List<String> asked() {
        List<String> arguments = new ArrayList<>();
        if (node != null) {
            arguments.addAll(List.of("--node", node));
        }
        if (engine != null) {
            arguments.addAll(List.of("--engine", engine));
        }
        if (!options.account.isEmpty()) {
            arguments.addAll(List.of("-o", "account=" + options.account));
        }
        for (String option : mountOptions) {
            arguments.addAll(List.of("-o", option));
        }
        return arguments;
    }

    /** These paths are told to further processes, whose JVM would read others for them. */
    private static void plain(Path path) {
        if (!LocalPath.text(path).equals(path.toString())) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "mount",
                    LocalPath.text(path),
                    "the locale's charset does not hold this path");
        }
    }
}
