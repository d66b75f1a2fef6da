package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.setup.Setup;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "setup",
        header = "Makes a farm of this host, or has it join one.",
        description = {
            "",
            "  gf setup --single          a whole farm here: authority, certificates, database, units, mount",
            "  gf setup                   the same, after questions",
            "  gf setup --join FILE       a storage node and a mount of the farm whose gf node add made FILE",
            "  gf setup --remove          stops it and removes its configuration; replicas, database and authority stay",
            "",
            "As root. What is there already is left alone, so that it can be repeated after a failure. Needs systemd",
            "and, but for --join, PostgreSQL on this host.",
            "Exit status 0: done; 69: a unit or a command failed, and is named."
        },
        mixinStandardHelpOptions = true)
public final class SetupCommand implements Callable<Integer> {
    @Option(names = "--single", description = "a farm on this host, without questions")
    private boolean single;

    @Option(names = "--join", paramLabel = "FILE", description = "join the farm that made FILE")
    private @Nullable Path join;

    @Option(names = "--remove", description = "undo it")
    private boolean remove;

    @Option(
            names = "--purge",
            description = "with --remove: replicas, database and authority, too; asks first")
    private boolean purge;

    @Option(names = "--yes", description = "with --purge: do not ask")
    private boolean yes;

    @Option(names = "--dry-run", description = "show the steps that are missing, and do nothing")
    private boolean dryRun;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "by which others reach this host (what hostname -f says)")
    private @Nullable String host;

    @Option(
            names = "--site",
            paramLabel = "/O=NAME",
            defaultValue = "/O=Gridfarm",
            description = "what names of certificates begin with (${DEFAULT-VALUE})")
    private String site = "/O=Gridfarm";

    @Option(
            names = "--node",
            paramLabel = "NAME",
            defaultValue = "n1",
            description = "of the storage node here (${DEFAULT-VALUE})")
    private String node = "n1";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "for replicas, one for each disk (/var/lib/gridfarm/data)")
    private List<Path> data = List.of();

    @Option(
            names = "--mount",
            paramLabel = "DIR",
            defaultValue = "/gridfarm",
            description = "where the farm is mounted (${DEFAULT-VALUE})")
    private Path mount = Path.of("/gridfarm");

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = "use this ZooKeeper (else one is started that this host alone reaches)")
    private @Nullable String zookeeper;

    @Override
    public Integer call() {
        int ways = (single ? 1 : 0) + (join != null ? 1 : 0) + (remove ? 1 : 0);
        if (ways > 1) throw usage("say one of --single, --join and --remove");
        if (purge && !remove) throw usage("--purge goes with --remove");
        Setup setup = new Setup(dryRun);
        if (remove) return setup.remove(purge, yes);
        Setup.Wishes wishes = new Setup.Wishes(host, site, node, data, mount, zookeeper);
        if (join != null) return setup.join(join, wishes);
        return setup.farm(single ? wishes : Setup.ask(wishes));
    }

    private static FarmException usage(String what) {
        return new FarmException(ErrorKind.USAGE, "setup", "", what);
    }
}
