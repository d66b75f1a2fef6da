package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.cli.cluster.TrialIssuer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

@Command(
        name = "cluster",
        header = "Runs a whole farm on this machine, for development and tests.",
        description = {
            "",
            "Every component is a process of its own with the programs and configuration files of a real installation: PostgreSQL, ZooKeeper,"
                    + " metaservers, caches, storage nodes (each with a mount for its tasks), schedulers. Data in DIR survive stop and start.",
            "DIR/client.toml is the configuration for every other command: gf --config DIR/client.toml, or GF_CONFIG."
        },
        mixinStandardHelpOptions = true)
public final class ClusterCommand {
    private static final int MINUTES_DEFAULT = 60;

    @Command(
            name = "token",
            header = "Prints a bearer token for an account, to try tokens with.",
            description = {
                "",
                "It is signed with a key in the farm's directory, and the farm's grid-mapfile names the account from then on.",
                "",
                "Example: export BEARER_TOKEN=$(gf cluster token --dir D --scope 'storage.read:/ storage.create:/tmp' $USER)"
            },
            mixinStandardHelpOptions = true)
    int token(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(
                            names = "--scope",
                            defaultValue = "storage.read:/",
                            paramLabel = "SCOPES",
                            description = "what it is good for (${DEFAULT-VALUE})")
                    String scope,
            @Option(
                            names = "--minutes",
                            defaultValue = "" + MINUTES_DEFAULT,
                            description = "how long (${DEFAULT-VALUE})")
                    int minutes,
            @Parameters(paramLabel = "ACCOUNT") String account) {
        System.out.println(
                TrialIssuer.of(directory).token(account, scope, Duration.ofMinutes(minutes)));
        return 0;
    }

    @Command(
            name = "start",
            header = "Makes the farm where there is none and starts what is not running.",
            mixinStandardHelpOptions = true)
    int start(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(
                            names = "--metaservers",
                            defaultValue = "1",
                            description = "metaservers (${DEFAULT-VALUE})")
                    int metaservers,
            @Option(
                            names = "--caches",
                            defaultValue = "1",
                            description =
                                    "further metaservers, named as caches; each can take the lead (${DEFAULT-VALUE})")
                    int caches,
            @Option(
                            names = "--nodes",
                            defaultValue = "3",
                            description = "storage nodes (${DEFAULT-VALUE})")
                    int nodes,
            @Option(
                            names = "--racks",
                            defaultValue = "1",
                            description = "racks the nodes are dealt out to (${DEFAULT-VALUE})")
                    int racks,
            @Option(
                            names = "--groups",
                            defaultValue = "1",
                            description =
                                    "groups the racks are dealt out to: siteA, siteB, ... (${DEFAULT-VALUE})")
                    int groups,
            @Option(
                            names = "--slots",
                            defaultValue = "2",
                            description = "task slots of each node (${DEFAULT-VALUE})")
                    int slots,
            @Option(
                            names = "--schedulers",
                            defaultValue = "1",
                            description = "schedulers (${DEFAULT-VALUE})")
                    int schedulers,
            @Option(
                            names = "--mount",
                            defaultValue = "",
                            paramLabel = "MNT",
                            description = "mount the farm here, attached to the first node")
                    String mount,
            @Option(names = "--no-node-mounts", description = "no mount for the tasks of each node")
                    boolean noNodeMounts,
            @Option(
                            names = "--repair-after",
                            defaultValue = "30s",
                            description =
                                    "absence of a node after which copies are made again (${DEFAULT-VALUE})")
                    String repairAfter,
            @Option(names = "-o", description = "mount options of all mounts")
                    List<String> mountOptions) {
        ClusterOptions options =
                new ClusterOptions(
                        metaservers,
                        caches,
                        nodes,
                        racks,
                        groups,
                        slots,
                        schedulers,
                        !noNodeMounts,
                        mount,
                        repairAfter,
                        mountOptions == null ? List.of() : mountOptions);
        Cluster cluster =
                Cluster.start(directory, options, line -> System.err.println("gf: " + line));
        if (!Mounts.obstacle().isEmpty() && !(noNodeMounts && mount.isEmpty())) {
            System.err.println("gf: without mounts: " + Mounts.obstacle());
        }
        System.out.println("export GF_CONFIG=" + cluster.clientConfig());
        return 0;
    }

    @Command(
            name = "status",
            header = "Shows each process: name, role, pid, address, state.",
            mixinStandardHelpOptions = true)
    int status(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(names = "--json", description = "one JSON document") boolean json) {
        List<Cluster.ComponentStatus> status = Cluster.open(directory, _ -> {}).status();
        if (json) {
            Output.json(
                    java.util.Map.of(
                            "components",
                            status.stream().map(Cluster.ComponentStatus::toMap).toList()));
        } else {
            Output.Table table = Output.table("NAME", "ROLE", "PID", "ADDRESS", "STATE", "READY");
            status.forEach(s ->
                    table.row(
                            s.name(),
                            s.role(),
                            s.pid() == 0 ? "-" : s.pid(),
                            s.address(),
                            s.state(),
                            s.ready() ? "yes" : "no"));
            table.print();
        }
        return status.stream().allMatch(Cluster.ComponentStatus::ready) ? 0 : 1;
    }

    @Command(
            name = "stop",
            header = "Stops every process; data stay.",
            mixinStandardHelpOptions = true)
    int stop(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory) {
        Cluster.open(directory, line -> System.err.println("gf: " + line)).stop();
        return 0;
    }

    @Command(
            name = "kill",
            header = "Sends a signal to one process.",
            mixinStandardHelpOptions = true)
    int kill(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(
                            names = "--signal",
                            defaultValue = "KILL",
                            description = "KILL, STOP, CONT, TERM (${DEFAULT-VALUE})")
                    String signal,
            @Parameters(paramLabel = "NAME", description = "as gf cluster status shows it")
                    String name) {
        Cluster.open(directory, _ -> {}).kill(name, signal);
        return 0;
    }

    @Command(
            name = "restart",
            header = "Stops one process, if it runs, and starts it again.",
            mixinStandardHelpOptions = true)
    int restart(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Parameters(paramLabel = "NAME", description = "as gf cluster status shows it")
                    String name) {
        Cluster.open(directory, line -> System.err.println("gf: " + line)).restart(name);
        return 0;
    }

    @Command(
            name = "add-node",
            header = "Adds a storage node to the running farm.",
            mixinStandardHelpOptions = true)
    int addNode(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(
                            names = "--rack",
                            defaultValue = "rack1",
                            description = "where it stands (${DEFAULT-VALUE})")
                    String rack,
            @Option(
                            names = "--group",
                            defaultValue = "default",
                            description = "group of nodes it belongs to (${DEFAULT-VALUE})")
                    String group) {
        String name =
                Cluster.open(directory, line -> System.err.println("gf: " + line))
                        .addNode(rack, group);
        System.out.println(name);
        return 0;
    }

    @Command(
            name = "remove-node",
            header = "Stops a storage node for good.",
            description =
                    "The farm must be told before: gf node drain NAME --wait, gf node remove NAME. What is on its disk stays there.",
            mixinStandardHelpOptions = true)
    int removeNode(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Parameters(paramLabel = "NAME", description = "as gf cluster status shows it")
                    String name) {
        Cluster.open(directory, line -> System.err.println("gf: " + line)).removeNode(name);
        return 0;
    }

    @Command(
            name = "mount",
            header = "Adds a mount attached to a node.",
            mixinStandardHelpOptions = true)
    int mount(
            @Option(
                            names = "--dir",
                            required = true,
                            paramLabel = "DIR",
                            description = "directory of the farm")
                    Path directory,
            @Option(
                            names = "--node",
                            defaultValue = "n1",
                            description = "storage node it is attached to (${DEFAULT-VALUE})")
                    String node,
            @Option(names = "-o", description = "mount options") List<String> options,
            @Parameters(paramLabel = "MNT") Path at) {
        Cluster.open(directory, line -> System.err.println("gf: " + line))
                .mount(node, at, options == null ? List.of() : options);
        return 0;
    }
}
