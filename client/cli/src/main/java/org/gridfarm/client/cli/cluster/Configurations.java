package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes the TOML files of a development farm, in the format of a real installation (see deploy/
 * for the commented templates).
 */
final class Configurations {
    /** Paths in ZooKeeper. */
    static final String METASERVERS = "/gridfarm";

    static final String SCHEDULERS = "/gridfarm-jobs";

    private final Path directory;
    private final Pki pki;

    Configurations(Path directory, Pki pki) {
        this.directory = directory;
        this.pki = pki;
    }

    static Path databasePassword(Path farm, String role) {
        return farm.resolve("pg-password-" + role);
    }

    static Path zookeeperPassword(Path farm, String path) {
        return farm.resolve("zk-password" + path.replace('/', '-'));
    }

    /** Those of gf key. */
    static Path keys(Path farm) {
        return farm.resolve("keys");
    }

    Path metaserver(
            String name,
            String role,
            String address,
            String http,
            String database,
            String zookeeper,
            String repairAfter) {
        return write(
                name,
                daemon(name, address, http, pki.issueHost(name, "@metaserver"))
                        + """
                        role = "%s"

                        [database]
                        url = "jdbc:postgresql://%s/%s"
                        user = "%s"
                        password_file = "%s"

                        [zookeeper]
                        connect = "%s"
                        path = "%s"
                        password_file = "%s"

                        [grid]
                        map = "%s"
                        keys = "%s"

                        [tokens]
                        issuer = "%s"
                        audience = "%s"
                        keys = "%s"

                        [repair]
                        after = "%s"
                        """
                                .formatted(
                                        role,
                                        database,
                                        Postgres.DATABASE,
                                        Postgres.META,
                                        databasePassword(directory, Postgres.META),
                                        zookeeper,
                                        METASERVERS,
                                        zookeeperPassword(directory, METASERVERS),
                                        pki.gridMap(),
                                        keys(directory),
                                        TrialIssuer.NAME,
                                        TrialIssuer.AUDIENCE,
                                        pki.tokenKeys(),
                                        repairAfter));
    }

    Path storageNode(
            String name,
            String address,
            String http,
            String rack,
            String group,
            int slots,
            Path mount,
            List<String> metaservers) {
        return write(
                name,
                daemon(name, address, http, pki.issueHost(name, "@node:" + name))
                        + """
                        metaservers = %s
                        data = ["%s"]
                        reserve = "256M"
                        rack = "%s"
                        group = "%s"
                        slots = %d
                        mount = "%s"

                        [grid]
                        map = "%s"
                        guests = true

                        [tasks]
                        allow_root = %s
                        """
                                .formatted(
                                        list(metaservers),
                                        data(name),
                                        rack,
                                        group,
                                        slots,
                                        mount,
                                        pki.gridMap(),
                                        // A farm that root starts is root's own, and so are its
                                        // jobs.
                                        System.getProperty("user.name").equals("root")));
    }

    Path scheduler(
            String name,
            String address,
            String http,
            String database,
            String zookeeper,
            List<String> metaservers) {
        return write(
                name,
                daemon(name, address, http, pki.issueHost(name, "@scheduler"))
                        + """
                        metaservers = %s

                        [database]
                        url = "jdbc:postgresql://%s/%s"
                        user = "%s"
                        password_file = "%s"

                        [zookeeper]
                        connect = "%s"
                        path = "%s"
                        password_file = "%s"

                        [grid]
                        map = "%s"
                        keys = "%s"
                        """
                                .formatted(
                                        list(metaservers),
                                        database,
                                        Postgres.DATABASE,
                                        Postgres.SCHED,
                                        databasePassword(directory, Postgres.SCHED),
                                        zookeeper,
                                        SCHEDULERS,
                                        zookeeperPassword(directory, SCHEDULERS),
                                        pki.gridMap(),
                                        keys(directory)));
    }

    /** For people (attached to no node) and for mounts (attached to one). */
    Path client(
            String name,
            Path credential,
            String node,
            List<String> metaservers,
            List<String> schedulers) {
        return write(
                name,
                """
                metaservers = %s
                scheduler = %s
                node = "%s"
                node_data = %s

                [tls]
                credential = "%s"
                trust = "%s"
                """
                        .formatted(
                                list(metaservers),
                                list(schedulers),
                                node,
                                list(node.isEmpty() ? List.of() : List.of(data(node).toString())),
                                credential,
                                pki.trust()));
    }

    /** For a gateway that acts as whoever asks, which needs to know who that is. */
    Path gateway(List<String> metaservers) {
        String name = "gateway";
        return write(
                name,
                """
                metaservers = %s

                [tls]
                credential = "%s"
                trust = "%s"

                [grid]
                map = "%s"
                """
                        .formatted(
                                list(metaservers),
                                pki.issueHost(name, "@gateway"),
                                pki.trust(),
                                pki.gridMap()));
    }

    /** For people who have no certificate, but a token or a key. */
    Path guest(List<String> metaservers, List<String> schedulers) {
        return write(
                "guest",
                """
                metaservers = %s
                scheduler = %s

                [tls]
                trust = "%s"
                """
                        .formatted(list(metaservers), list(schedulers), pki.trust()));
    }

    private Path data(String node) {
        return directory.resolve(node).resolve("data");
    }

    private String daemon(String name, String address, String http, Path credential) {
        return """
        name = "%s"
        listen = "%s"
        http = "%s"
        run_file = "%s"

        """
                        .formatted(
                                name,
                                address,
                                http,
                                directory.resolve("run").resolve(name + ".properties"))
                + "log_level = \"info\"\n"
                + tls(credential);
    }

    private String tls(Path credential) {
        return "tls.certificate = \""
                + credential
                + "\"\ntls.key = \""
                + credential
                + "\"\ntls.trust = \""
                + pki.trust()
                + "\"\n";
    }

    private static String list(List<String> values) {
        return "[" + String.join(", ", values.stream().map(v -> "\"" + v + "\"").toList()) + "]";
    }

    private Path write(String name, String text) {
        Path file = directory.resolve(name + ".toml");
        try {
            Files.writeString(file, text);
            return file;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
