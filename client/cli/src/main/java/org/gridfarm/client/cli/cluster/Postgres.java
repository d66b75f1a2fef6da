package org.gridfarm.client.cli.cluster;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.tukaani.xz.XZInputStream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The PostgreSQL of a development farm: the io.zonky.test binaries, unpacked once per user, run
 * directly (not through the test library, which turns fsync off). Durable settings are the defaults
 * and are checked. PostgreSQL refuses to run as root, so root runs it in a user namespace of its
 * own where it appears as nobody; where that is forbidden, as uid 65534 by setpriv.
 */
final class Postgres {
    private static final String RESOURCE = "/postgres-linux-x86_64.txz";
    private static final String VERSION = "18.6.0";
    static final String USER = "gridfarm";
    static final String DATABASE = "gridfarm";

    /** Of metaservers, and of schedulers, which have no business with the secrets of the former. */
    static final String META = "gridfarm_meta";

    static final String SCHED = "gridfarm_sched";

    private final Path home;
    private final Path data;
    private final List<String> asNobody;

    Postgres(Path data) {
        this.data = data;
        this.home = unpack();
        this.asNobody = dropRoot();
    }

    /**
     * Makes the data directory, the superuser {@value #USER} with the password of the file, the
     * database of the same name, and in it the roles of the servers.
     *
     * @param roles passwords by role
     */
    void initialise(Path passwordFile, Map<String, String> roles, String address) {
        try {
            Files.createDirectories(data);
            Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
            giveAway(data);
            // initdb as another uid cannot read our password file: it gets a copy of its own.
            Path handed = data.resolveSibling("pg-password-for-initdb");
            Pki.writeSecret(handed, Files.readString(passwordFile));
            giveAway(handed);
            OsProcess.run(
                    command(
                            "initdb",
                            "-D",
                            data.toString(),
                            "-U",
                            USER,
                            "--pwfile",
                            handed.toString(),
                            "-A",
                            "scram-sha-256",
                            "-E",
                            "UTF8",
                            "--locale=C",
                            "--no-sync",
                            "--no-instructions"));
            Files.delete(handed);
            Path configuration = data.resolve("postgresql.auto.conf");
            Files.writeString(
                    configuration,
                    """
                    listen_addresses = '127.0.0.1'
                    port = %d
                    unix_socket_directories = ''
                    max_connections = 60
                    shared_buffers = 128MB
                    max_wal_size = 1GB
                    fsync = on
                    synchronous_commit = on
                    full_page_writes = on
                    """
                            .formatted(Ports.port(address)),
                    StandardCharsets.UTF_8);
            giveAway(data);
            createDatabase(roles);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "initialise",
                    data.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
        requireDurable("fsync");
        requireDurable("synchronous_commit");
    }

    List<String> serverCommand() {
        return command("postgres", "-D", data.toString());
    }

    private void createDatabase(Map<String, String> roles) {
        List<String> lines = new ArrayList<>();
        lines.add("CREATE DATABASE " + DATABASE);
        lines.add("REVOKE ALL ON DATABASE " + DATABASE + " FROM PUBLIC");
        roles.forEach((role, password) -> {
            lines.add("CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "'");
            lines.add("GRANT CONNECT, CREATE ON DATABASE " + DATABASE + " TO " + role);
        });
        // Single-user mode needs neither a running server nor a driver.
        String output =
                OsProcess.run(
                        command("postgres", "--single", "-D", data.toString(), "postgres"),
                        String.join("\n", lines) + "\n");
        if (output.contains("ERROR")) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "create database",
                    DATABASE,
                    output.lines().filter(line -> line.contains("ERROR")).findFirst().orElse(""));
        }
    }

    private void requireDurable(String setting) {
        String value =
                OsProcess.run(command("postgres", "-C", setting, "-D", data.toString())).strip();
        if (!value.endsWith("on")) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "postgres",
                    setting,
                    "is '" + value + "', must be on");
        }
    }

    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>(asNobody);
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private void giveAway(Path path) {
        if (asNobody.contains("setpriv")) {
            OsProcess.run(List.of("chown", "-R", "65534:65534", path.toString()));
        }
    }

    private static List<String> dropRoot() {
        if (!System.getProperty("user.name").equals("root")) {
            return List.of();
        }
        try {
            OsProcess.run(List.of("unshare", "-U", "true"));
            return List.of("unshare", "-U");
        } catch (FarmException e) {
            return List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups");
        }
    }

    private static Path unpack() {
        Path cache = OwnCache.directory();
        Path home = cache.resolve("postgres-" + VERSION);
        if (Files.exists(home.resolve("bin/postgres"))) {
            return home;
        }
        try (InputStream resource = Postgres.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "unpack",
                        "PostgreSQL",
                        "no binaries for this machine on the class path (linux-x86_64 only)");
            }
            Files.createDirectories(cache);
            Path fresh = Files.createTempDirectory(cache, "postgres-");
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            extract(resource, fresh);
            if (!fresh.toFile().renameTo(home.toFile())
                    && !Files.exists(home.resolve("bin/postgres"))) {
                throw new IOException("cannot rename " + fresh + " to " + home);
            }
            return home;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "unpack",
                    "PostgreSQL",
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private static void extract(InputStream resource, Path into) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(resource))) {
            for (TarArchiveEntry entry = tar.getNextEntry();
                    entry != null;
                    entry = tar.getNextEntry()) {
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("entry outside the archive: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else if (entry.isSymbolicLink()) {
                    Files.createDirectories(target.getParent());
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(tar, target, StandardCopyOption.REPLACE_EXISTING);
                    Files.setPosixFilePermissions(
                            target,
                            PosixFilePermissions.fromString(
                                    (entry.getMode() & 0100) != 0 ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }
    }
}
