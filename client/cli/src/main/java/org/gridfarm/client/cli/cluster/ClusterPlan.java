package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Lays a new farm out in a directory: keys, database, ports, configuration files, and the list of
 * components to start.
 */
final class ClusterPlan {
    private static final String HEAP_SMALL = "128m";
    private static final String HEAP = System.getenv().getOrDefault("GF_HEAP", "256m");

    private final Path directory;
    private final ClusterOptions options;

    ClusterPlan(Path directory, ClusterOptions options) {
        this.directory = directory;
        this.options = options;
    }

    ClusterState make(Consumer<String> progress) {
        try (Ports ports = new Ports(directory)) {
            for (String folder : List.of("log", "run", "zookeeper")) {
                ownersAlone(directory.resolve(folder));
            }
            Path password = directory.resolve("pg-password");
            Pki.writePassword(password);
            Map<String, String> roles = new LinkedHashMap<>();
            for (String role : List.of(Postgres.META, Postgres.SCHED)) {
                Path file = Configurations.databasePassword(directory, role);
                Pki.writePassword(file);
                roles.put(role, Files.readString(file).strip());
            }
            for (String path : List.of(Configurations.METASERVERS, Configurations.SCHEDULERS)) {
                Pki.writePassword(Configurations.zookeeperPassword(directory, path));
            }
            Pki.writeSecret(Configurations.keys(directory), "");
            Pki pki = Pki.create(directory.resolve("pki"));
            Configurations configurations = new Configurations(directory, pki);
            List<Component> components = new ArrayList<>();

            String database = ports.free();
            Postgres postgres = new Postgres(directory.resolve("pg"));
            postgres.initialise(password, roles, database);
            components.add(
                    component("postgres", "postgres", postgres.serverCommand(), database, ""));
            progress.accept("database made");

            String zookeeper = ports.free();
            components.add(
                    component(
                            "zookeeper", "zookeeper", zookeeperCommand(zookeeper), zookeeper, ""));

            List<String> metaservers = new ArrayList<>();
            for (int i = 1; i <= options.metaservers() + options.caches(); i++) {
                boolean electable = i <= options.metaservers();
                String name = electable ? "meta" + i : "cache" + (i - options.metaservers());
                String address = ports.free();
                String http = ports.free();
                Path file =
                        configurations.metaserver(
                                name,
                                "auto",
                                address,
                                http,
                                database,
                                zookeeper,
                                options.repairAfter());
                metaservers.add(address);
                components.add(
                        component(
                                name,
                                electable ? "metaserver" : "cache",
                                Jvm.daemon(
                                        "org.gridfarm.metaserver.MetaServerMain",
                                        HEAP,
                                        "--config",
                                        file.toString()),
                                address,
                                http));
            }
            List<String> schedulers = new ArrayList<>();
            for (int i = 1; i <= options.schedulers(); i++) {
                String name = "sched" + i;
                String address = ports.free();
                String http = ports.free();
                Path file =
                        configurations.scheduler(
                                name, address, http, database, zookeeper, metaservers);
                schedulers.add(address);
                components.add(
                        component(
                                name,
                                "scheduler",
                                Jvm.light(
                                        Jvm.daemon(
                                                "org.gridfarm.scheduler.SchedulerMain",
                                                HEAP_SMALL,
                                                "--config",
                                                file.toString())),
                                address,
                                http));
            }
            for (int i = 1; i <= options.nodes(); i++) {
                components.add(
                        node(
                                "n" + i,
                                "rack" + (1 + (i - 1) % options.racks()),
                                group((i - 1) % options.racks()),
                                ports,
                                configurations,
                                metaservers));
            }
            writeClientFiles(pki, configurations, metaservers, schedulers);
            ClusterState state = new ClusterState(directory.toString(), Jvm.java(), components);
            if (options.mounts() && Mounts.obstacle().isEmpty()) {
                for (int i = 1; i <= options.nodes(); i++) {
                    state =
                            withMount(
                                    state,
                                    "mount-n" + i,
                                    "n" + i,
                                    nodeMount("n" + i),
                                    withoutStandby(options.mountOptions()));
                }
            }
            state.write();
            return state;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "make a farm in",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /**
     * A farm on one machine has a mount for every node; only the user's is worth 80 MB that stand
     * by.
     */
    private static List<String> withoutStandby(List<String> mountOptions) {
        return Stream.concat(mountOptions.stream(), Stream.of("nostandby")).toList();
    }

    /**
     * The state with one mount more, or empty when this machine cannot mount. A mount that is there
     * already is kept.
     */
    Optional<ClusterState> mount(
            ClusterState state, String name, String node, Path at, List<String> mountOptions) {
        if (!Mounts.obstacle().isEmpty()) {
            return Optional.empty();
        }
        if (state.find(name).isPresent()) {
            return Optional.of(state);
        }
        state.require(node);
        ClusterState more =
                withMount(state, name, node, at.toAbsolutePath().normalize(), mountOptions);
        more.write();
        return Optional.of(more);
    }

    private ClusterState withMount(
            ClusterState state, String name, String node, Path at, List<String> mountOptions) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--config",
                                directory.resolve("mount-" + node + ".toml").toString()));
        for (String option : mountOptions) {
            arguments.add("-o");
            arguments.add(option);
        }
        arguments.add(at.toString());
        List<String> command = Jvm.mount(MountProcess.HEAP, arguments);
        return state.with(component(name, "mount", command, at.toString(), ""));
    }

    private String group(int rack) {
        return options.groups() == 1 ? "default" : "site" + (char) ('A' + rack % options.groups());
    }

    /** The state with a further storage node, which the farm has not heard of yet. */
    ClusterState node(ClusterState state, String rack, String group) {
        int number = 1;
        // The name of one that was removed stays taken.
        while (state.find("n" + number).isPresent()
                || Files.exists(directory.resolve("n" + number + ".toml"))) {
            number++;
        }
        List<String> metaservers = new ArrayList<>();
        for (String role : List.of("metaserver", "cache")) {
            state.ofRole(role).forEach(server -> metaservers.add(server.address()));
        }
        try (Ports ports = new Ports(directory)) {
            Configurations configurations =
                    new Configurations(directory, Pki.open(directory.resolve("pki")));
            ClusterState more =
                    state.with(node("n" + number, rack, group, ports, configurations, metaservers));
            more.write();
            return more;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "add a node in",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private Component node(
            String name,
            String rack,
            String group,
            Ports ports,
            Configurations configurations,
            List<String> metaservers)
            throws IOException {
        String address = ports.free();
        String http = ports.free();
        ownersAlone(directory.resolve(name).resolve("data"));
        Files.createDirectories(nodeMount(name));
        Path file =
                configurations.storageNode(
                        name,
                        address,
                        http,
                        rack,
                        group,
                        options.slots(),
                        nodeMount(name),
                        metaservers);
        return component(
                name,
                "storagenode",
                Jvm.daemon(
                        "org.gridfarm.storagenode.StorageNodeMain",
                        HEAP,
                        "--config",
                        file.toString()),
                address,
                http);
    }

    private void writeClientFiles(
            Pki pki,
            Configurations configurations,
            List<String> metaservers,
            List<String> schedulers) {
        String user = System.getProperty("user.name");
        Path credential = pki.issueUser(user, "@admin:" + user);
        configurations.client("client", credential, "", metaservers, schedulers);
        configurations.gateway(metaservers);
        configurations.guest(metaservers, schedulers);
        for (int i = 1; i <= options.nodes(); i++) {
            String name = "mount-n" + i;
            configurations.client(
                    name, pki.issueHost(name, "@mount:root"), "n" + i, metaservers, schedulers);
        }
    }

    /** Unlike the farm's directory, through which tasks of other accounts get to a node's mount. */
    private static void ownersAlone(Path folder) throws IOException {
        Files.setPosixFilePermissions(
                Files.createDirectories(folder), PosixFilePermissions.fromString("rwx------"));
    }

    private Path nodeMount(String name) {
        return directory.resolve(name).resolve("mnt");
    }

    private List<String> zookeeperCommand(String address) throws IOException {
        Path file = directory.resolve("zookeeper/zoo.cfg");
        Files.writeString(
                file,
                """
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                tickTime=500
                minSessionTimeout=1000
                maxSessionTimeout=20000
                admin.enableServer=false
                maxClientCnxns=0
                """
                        .formatted(directory.resolve("zookeeper/data"), Ports.port(address)));
        return Jvm.light(
                Jvm.daemon(
                        "org.apache.zookeeper.server.ZooKeeperServerMain",
                        HEAP_SMALL,
                        file.toString()));
    }

    private Component component(
            String name, String role, List<String> command, String address, String http) {
        return new Component(
                name,
                role,
                Jvm.named(name, command),
                Map.of(),
                directory.resolve("log").resolve(name + ".log").toString(),
                address,
                http,
                0,
                0);
    }
}
