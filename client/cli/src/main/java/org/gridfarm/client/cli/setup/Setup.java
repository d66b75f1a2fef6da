package org.gridfarm.client.cli.setup;

import org.gridfarm.client.cli.authority.Subject;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Carries the steps out, one after the other, and says of each what became of it. */
public final class Setup {
    private static final Path DATA = Path.of("/var/lib/gridfarm/data");
    private static final long RESERVE_MAX = 10L << 30;
    private static final int RESERVE_PART = 20;

    /** What was asked for; null is what this host says of itself. */
    public record Wishes(
            @Nullable String host,
            String site,
            String node,
            List<Path> data,
            Path mount,
            @Nullable String zookeeper) {}

    private final Host host = new Host();
    private final boolean dryRun;

    public Setup(boolean dryRun) {
        this.dryRun = dryRun;
    }

    /** Asks on the terminal for what may differ; an empty answer takes what is offered. */
    public static Wishes ask(Wishes offered) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "setup",
                    "",
                    "there is no terminal to ask at: say --single, or --join FILE");
        }
        String name = offered.host() == null ? new Setup(true).ownName() : offered.host();
        String data = offered.data().isEmpty() ? DATA.toString() : offered.data().get(0).toString();
        return new Wishes(
                answer(console, "Name by which other hosts reach this one", name),
                answer(console, "Names of certificates begin with", offered.site()),
                answer(console, "Name of the storage node here", offered.node()),
                List.of(
                                answer(console, "Directories for replicas, one for each disk", data)
                                        .split("[ ,]+"))
                        .stream()
                        .map(Path::of)
                        .toList(),
                Path.of(answer(console, "Mount the farm at", offered.mount().toString())),
                offered.zookeeper());
    }

    private static String answer(Console console, String question, String offered) {
        String line = console.readLine("%s [%s]: ", question, offered);
        return line == null || line.isBlank() ? offered : line.strip();
    }

    public int farm(Wishes wishes) {
        requireRoot();
        String name = wishes.host() == null ? ownName() : wishes.host();
        requireResolves(name);
        String zookeeper = wishes.zookeeper();
        boolean own = zookeeper == null;
        HostPlan plan =
                plan(
                        wishes,
                        name,
                        wishes.node(),
                        List.of(name + ":7000"),
                        List.of(name + ":7200"),
                        zookeeper == null ? "localhost:2181" : zookeeper);
        run(steps(plan).farm(wishes.site(), own));
        if (!dryRun) {
            System.out.println("the farm runs and is mounted at " + plan.mount());
            System.out.println("see: gf health, gf nodes, gf ls -l /");
            System.out.println(
                    "administrator's commands: gf node drain "
                            + plan.node()
                            + " --config "
                            + HostPlan.ETC.resolve("admin.toml"));
            System.out.println("a person: gf ca issue user alice --map " + Authority.MAP);
            System.out.println("another host: gf node add HOST");
        }
        return 0;
    }

    public int join(Path file, Wishes wishes) {
        requireRoot();
        JoinFile join = JoinFile.parse(host.read(file), file.toString());
        if (Files.exists(HostPlan.ETC.resolve("metaserver.toml"))) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "join",
                    join.host(),
                    "this host has a farm of its own; gf setup --remove first");
        }
        HostPlan plan =
                plan(wishes, join.host(), join.node(), join.metaservers(), join.schedulers(), "");
        run(steps(plan).member(join));
        if (!dryRun) {
            System.out.println(
                    "node " + join.node() + " runs; the farm is mounted at " + plan.mount());
            System.out.println("remove " + file + ": it has the keys of this host");
        }
        return 0;
    }

    public int remove(boolean purge, boolean yes) {
        requireRoot();
        if (purge && !yes && !dryRun) {
            Console console = System.console();
            String answer =
                    console == null
                            ? null
                            : console.readLine(
                                    "Delete every file of the farm on this host? Type yes: ");
            if (!"yes".equals(answer)) {
                throw new FarmException(
                        ErrorKind.USAGE,
                        "setup",
                        "",
                        "not confirmed; without a terminal say --yes");
            }
        }
        run(SingleHost.removal(host, purge, List.of(DATA)));
        return 0;
    }

    /** Makes the file with which {@code name} joins this farm, on the host of the authority. */
    public static int add(String name, @Nullable String node, @Nullable Path out) {
        requireRoot();
        Host host = new Host();
        if (!Authority.isThere()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "node add",
                    name,
                    "run it on the host of the authority (" + Authority.DIRECTORY + ")");
        }
        ClientConfig config = ClientConfig.find(Optional.of(HostPlan.ETC.resolve("config.toml")));
        String label = node == null ? name.split("\\.", 2)[0] : node;
        Path file = out == null ? Path.of("gridfarm-" + label + ".join") : out;
        if (Files.exists(file)) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "node add",
                    file.toString(),
                    "remove it, or say --out");
        }
        SortedMap<String, String> files = new TreeMap<>();
        Path work = temporary();
        try {
            Authority.issue(
                    work.resolve("storagenode"), Subject.Kind.NODE, List.of(label, name), false);
            Authority.issue(work.resolve("mount"), Subject.Kind.MOUNT, List.of(name), false);
            for (Path one : host.list(work)) files.put("tls/" + one.getFileName(), host.read(one));
        } finally {
            host.remove(work);
        }
        Path trust = HostPlan.ETC.resolve("tls/ca");
        Authority.publish(host, trust);
        for (Path one : host.list(trust)) files.put("tls/ca/" + one.getFileName(), host.read(one));
        files.put("grid-mapfile", host.read(Authority.MAP));
        host.write(
                file.toAbsolutePath(),
                JoinFile.of(
                                name,
                                label,
                                config.metaservers().stream().map(Object::toString).toList(),
                                config.schedulers().stream().map(Object::toString).toList(),
                                files)
                        .text(),
                "rw-------");
        System.out.println(
                "take " + file + " to " + name + " by a safe way (it has keys), and there:");
        System.out.println("  gf setup --join " + file.getFileName());
        System.out.println(
                "copy "
                        + Authority.MAP
                        + " to the hosts that are in the farm already, which read it by themselves");
        return 0;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("gf-node");
        } catch (IOException e) {
            throw Host.failed("make", Path.of("temporary directory"), e);
        }
    }

    private HostPlan plan(
            Wishes wishes,
            String name,
            String node,
            List<String> metaservers,
            List<String> schedulers,
            String zookeeper) {
        List<Path> data = wishes.data().isEmpty() ? List.of(DATA) : wishes.data();
        return new HostPlan(
                name,
                node,
                metaservers,
                schedulers,
                zookeeper,
                data,
                wishes.mount(),
                reserve(data),
                Runtime.getRuntime().availableProcessors());
    }

    /** 10 GiB, or a twentieth of the smallest disk. */
    private static long reserve(List<Path> data) {
        long least = RESERVE_MAX;
        for (Path path : data) {
            Path there = path;
            while (!Files.exists(there) && there.getParent() != null) there = there.getParent();
            try {
                least = Math.min(least, Files.getFileStore(there).getTotalSpace() / RESERVE_PART);
            } catch (IOException e) {
                throw Host.failed("ask the disk of", there, e);
            }
        }
        return least;
    }

    private SingleHost steps(HostPlan plan) {
        String gf = System.getProperty("gf.home", "/usr/bin") + "/gf";
        return new SingleHost(host, plan, Units.dropIns(memory(), plan.mount(), gf));
    }

    private long memory() {
        return host.read(Path.of("/proc/meminfo"))
                .lines()
                .filter(line -> line.startsWith("MemTotal:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElseThrow();
    }

    private void run(List<Step> steps) {
        List<String> missing = new ArrayList<>();
        for (Step step : steps) {
            if (step.done().getAsBoolean()) continue;
            missing.add(step.what());
            System.out.println((dryRun ? "would do: " : "") + step.what());
            if (dryRun) continue;
            long began = System.nanoTime();
            step.work().run();
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            if (took.toSeconds() >= 2) System.out.println("    (" + took.toSeconds() + " s)");
        }
        if (missing.isEmpty()) System.out.println("nothing to do: all of it is there");
    }

    private String ownName() {
        for (String[] command : new String[][] {{"hostname", "-f"}, {"hostname"}}) {
            Host.Result result = host.ask(command);
            if (result.good() && !result.output().isBlank()) return result.output().strip();
        }
        throw new FarmException(
                ErrorKind.USAGE, "setup", "", "this host does not know its name: say --host NAME");
    }

    private static void requireResolves(String name) {
        try {
            InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "setup",
                    name,
                    "the name has no address: add it to /etc/hosts, or say --host NAME",
                    e);
        }
    }

    private static void requireRoot() {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new FarmException(ErrorKind.NOT_PERMITTED, "setup", "", "run it as root");
        }
    }
}
