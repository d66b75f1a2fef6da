package org.gridfarm.client.cli.setup;

import org.gridfarm.client.cli.authority.Subject;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;

/** The steps that make a farm of this host, or have it join one. */
final class SingleHost {
    private static final Path TLS = HostPlan.ETC.resolve("tls");
    private static final Path TRUST = TLS.resolve("ca");
    private static final Path ZOO_CFG = HostPlan.ETC.resolve("zookeeper.cfg");
    private static final Path ZOO_DATA = Path.of("/var/lib/gridfarm/zookeeper");
    private static final Path STATE = Path.of("/var/lib/gridfarm");
    private static final String ACCOUNT = "gridfarm";
    private static final int PASSWORD_BYTES = 16;

    private final Host host;
    private final HostPlan plan;
    private final Units units;
    private final Database database;
    private final SortedMap<String, String> dropIns;

    SingleHost(Host host, HostPlan plan, SortedMap<String, String> dropIns) {
        this.host = host;
        this.plan = plan;
        this.units = new Units(host);
        this.database = new Database(host);
        this.dropIns = dropIns;
    }

    /**
     * A farm with every part here.
     *
     * @param site what the names of the authority begin with
     * @param ownZookeeper the one that this program brings, for this host alone
     */
    List<Step> farm(String site, boolean ownZookeeper) {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("account " + ACCOUNT, this::hasAccount, this::makeAccount));
        steps.add(
                new Step(
                        "authority of " + site + " in " + Authority.DIRECTORY,
                        Authority::isThere,
                        () -> Authority.create(site)));
        certificate(steps, "metaserver", Subject.Kind.METASERVER, List.of(plan.host()), true);
        certificate(steps, "scheduler", Subject.Kind.SCHEDULER, List.of(plan.host()), true);
        certificate(
                steps, "storagenode", Subject.Kind.NODE, List.of(plan.node(), plan.host()), false);
        certificate(steps, "mount", Subject.Kind.MOUNT, List.of(plan.host()), false);
        certificate(steps, "admin", Subject.Kind.ADMIN, List.of("root"), false);
        steps.add(
                new Step(
                        "trusted certificates in " + TRUST,
                        () -> Files.exists(TRUST.resolve("site.pem")),
                        () -> Authority.publish(host, TRUST)));
        for (String role : List.of("meta", "sched")) {
            password(steps, Database.password(role));
            password(steps, HostPlan.ETC.resolve("zookeeper-password-" + role));
        }
        steps.add(
                new Step(
                        "database gridfarm in PostgreSQL",
                        database::isThere,
                        () -> {
                            database.require();
                            database.create();
                        }));
        if (ownZookeeper) {
            steps.add(file(ZOO_CFG, HostPlan.zooCfg(ZOO_DATA)));
        }
        configure(steps, plan.all());
        for (String unit : Units.ALL) {
            if (!unit.equals(Units.ZOOKEEPER) || ownZookeeper) steps.add(running(unit));
        }
        return steps;
    }

    /** A storage node and a mount of a farm that is elsewhere. */
    List<Step> member(JoinFile join) {
        List<Step> steps = new ArrayList<>();
        join.files()
                .forEach((name, text) -> {
                    boolean secret = text.contains("PRIVATE KEY");
                    Path path = HostPlan.ETC.resolve(name);
                    steps.add(
                            new Step(
                                    path.toString(),
                                    () -> host.holds(path, text),
                                    () ->
                                            host.write(
                                                    path,
                                                    text,
                                                    secret ? "rw-------" : "rw-r--r--")));
                });
        configure(steps, plan.ofNode());
        steps.add(running(Units.NODE));
        steps.add(running(Units.MOUNT));
        return steps;
    }

    private void configure(List<Step> steps, SortedMap<String, String> files) {
        // What is there was perhaps changed by hand since: it stays.
        files.forEach((name, text) -> {
            Path path = HostPlan.ETC.resolve(name);
            steps.add(
                    new Step(
                            path.toString(),
                            () -> Files.exists(path),
                            () -> host.write(path, text, "rw-r--r--")));
        });
        for (Path data : plan.data()) {
            steps.add(
                    new Step(
                            "directory " + data,
                            () -> Files.isDirectory(data),
                            () -> host.directory(data, "rwx------")));
        }
        steps.add(
                new Step(
                        "directory " + plan.mount(),
                        () -> Files.isDirectory(plan.mount()) || isMounted(),
                        () -> host.directory(plan.mount(), "rwxr-xr-x")));
        steps.add(
                new Step(
                        "heaps and mount point of the units",
                        () -> units.holdDropIns(dropIns),
                        () -> units.writeDropIns(dropIns)));
    }

    private boolean isMounted() {
        return host.ask("mountpoint", "-q", plan.mount().toString()).good();
    }

    private Step file(Path path, String text) {
        return new Step(
                path.toString(),
                () -> host.holds(path, text),
                () -> host.write(path, text, "rw-r--r--"));
    }

    private Step running(String unit) {
        return new Step("running " + unit, () -> units.runs(unit), () -> start(unit));
    }

    private void start(String unit) {
        if (unit.equals(Units.ZOOKEEPER) && host.listens(2181)) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "start",
                    unit,
                    "something listens at 127.0.0.1:2181 already; if it is the ZooKeeper that the farm is to use, say --zookeeper localhost:2181");
        }
        units.start(unit);
    }

    private boolean hasAccount() {
        return host.ask("id", ACCOUNT).good();
    }

    private void makeAccount() {
        host.require("", "systemd-sysusers");
        host.require("", "id", ACCOUNT);
    }

    private void certificate(
            List<Step> steps,
            String name,
            Subject.Kind kind,
            List<String> words,
            boolean ofAccount) {
        Path certificate = TLS.resolve(name + ".pem");
        steps.add(
                new Step(
                        "certificate " + certificate,
                        () -> Files.exists(certificate),
                        () -> {
                            host.directory(TLS, "rwxr-xr-x");
                            Authority.issue(
                                    TLS.resolve(name), kind, words, kind == Subject.Kind.MOUNT);
                        }));
        if (ofAccount) steps.add(owned(TLS.resolve(name + ".key")));
    }

    private Step owned(Path file) {
        return new Step(
                file + " is of " + ACCOUNT,
                () -> Files.exists(file) && host.owned(file, ACCOUNT),
                () -> host.own(file, ACCOUNT));
    }

    private void password(List<Step> steps, Path file) {
        steps.add(
                new Step(
                        "secret " + file,
                        () -> Files.exists(file),
                        () -> {
                            byte[] bytes = new byte[PASSWORD_BYTES];
                            new SecureRandom().nextBytes(bytes);
                            host.write(file, HexFormat.of().formatHex(bytes) + "\n", "rw-------");
                        }));
        steps.add(owned(file));
    }

    /**
     * Takes back what setup made. Without {@code purge} what cannot be made again stays: replicas,
     * database, authority, the map of people, and the secrets that open them.
     */
    static List<Step> removal(Host host, boolean purge, List<Path> data) {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("units stopped and disabled", () -> false, new Units(host)::stopAll));
        for (String name :
                List.of(
                        "config.toml",
                        "metaserver.toml",
                        "scheduler.toml",
                        "storagenode.toml",
                        "admin.toml",
                        "zookeeper.cfg",
                        "tls")) {
            steps.add(gone(host, HostPlan.ETC.resolve(name)));
        }
        if (purge) {
            Database database = new Database(host);
            steps.add(new Step("database gone", () -> !database.isThere(), database::drop));
            for (Path path : data) steps.add(gone(host, path));
            steps.add(gone(host, HostPlan.ETC));
            steps.add(gone(host, STATE));
        }
        return steps;
    }

    private static Step gone(Host host, Path path) {
        return new Step(path + " removed", () -> !Files.exists(path), () -> host.remove(path));
    }
}
