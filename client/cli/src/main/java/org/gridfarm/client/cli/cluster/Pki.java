package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;

/**
 * The certification authority of a development farm and what it has issued: one certificate per
 * process and one for the person who started it, with the grid-mapfile that says who is what.
 * Private files have mode 600.
 */
final class Pki {
    private static final String ORGANISATION = "/O=Gridfarm development";
    private static final List<String> HERE = List.of("localhost", "127.0.0.1");

    private final Path directory;
    private final CertificateAuthority authority;

    private Pki(Path directory, CertificateAuthority authority) {
        this.directory = directory;
        this.authority = authority;
    }

    static Pki create(Path directory) {
        try {
            Files.createDirectories(directory);
            CertificateAuthority authority =
                    CertificateAuthority.create(ORGANISATION + "/CN=Authority", Instant.now());
            Path kept = directory.resolve("authority");
            Files.createDirectories(kept);
            authority.save(kept);
            Files.writeString(
                    directory.resolve("ca.pem"),
                    authority.certificatePem(),
                    StandardCharsets.US_ASCII);
            return new Pki(directory, authority);
        } catch (IOException | GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "create",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    static Pki open(Path directory) {
        return new Pki(directory, CertificateAuthority.load(directory.resolve("authority")));
    }

    /**
     * A certificate for a process of that name, mapped to the role ("@metaserver", "@node:n1",
     * ...).
     */
    Path issueHost(String name, String role) {
        return issue(name, role, ORGANISATION + "/OU=Hosts/CN=" + name, true);
    }

    /** A certificate for a person, mapped to the local user name. */
    Path issueUser(String user, String mapped) {
        return issue("user-" + user, mapped, ORGANISATION + "/OU=People/CN=" + user, false);
    }

    Path trust() {
        return directory.resolve("ca.pem");
    }

    Path gridMap() {
        return directory.resolve("grid-mapfile");
    }

    private Path issue(String fileName, String mapped, String dn, boolean host) {
        Path file = directory.resolve(fileName + ".pem");
        if (Files.exists(file)) {
            return file;
        }
        try {
            Credential credential =
                    host
                            ? authority.issueHost(dn, HERE, Instant.now())
                            : authority.issueUser(dn, Instant.now());
            credential.save(file);
            Files.writeString(
                    gridMap(),
                    "\"" + dn + "\" " + mapped + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            return file;
        } catch (IOException | GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "issue a certificate for",
                    fileName,
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** A random password in a file only its owner can read. */
    static void writePassword(Path file) throws IOException {
        byte[] random = new byte[18];
        new java.security.SecureRandom().nextBytes(random);
        writeSecret(file, java.util.Base64.getUrlEncoder().encodeToString(random) + "\n");
    }

    /** At no moment can another account read it. */
    static void writeSecret(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }
}
