package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.client.cli.authority.SiteAuthority;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.CertificateAuthority.Order;
import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/**
 * The authority of a development farm and what it has issued: one certificate per process and one
 * for the person who started it, with the grid-mapfile that says who is what. Private files have
 * mode 600.
 */
final class Pki {
    private static final String ORGANISATION = "/O=Gridfarm development";
    private static final List<String> HERE = List.of("localhost", "127.0.0.1");
    private static final Duration LIFETIME = CertificateAuthority.HOST_LIFETIME;

    private final Path directory;
    private final SiteAuthority authority;

    private Pki(Path directory, SiteAuthority authority) {
        this.directory = directory;
        this.authority = authority;
    }

    static Pki create(Path directory) {
        try {
            Files.createDirectories(directory);
            SiteAuthority authority =
                    SiteAuthority.create(
                            directory.resolve("authority"),
                            ORGANISATION,
                            false,
                            CertificateAuthority.AUTHORITY_LIFETIME,
                            PassPhrase.NONE);
            Files.writeString(
                    directory.resolve("ca.pem"),
                    authority.certificatePem(),
                    StandardCharsets.US_ASCII);
            TrialIssuer.create(directory);
            return new Pki(directory, authority);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "create",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    static Pki open(Path directory) {
        Path kept = directory.resolve("authority");
        SiteAuthority authority = SiteAuthority.open(kept, PassPhrase.NONE);
        if (!Files.isDirectory(authority.certificates())) { // a farm of before there was one
            authority.publish();
        }
        return new Pki(directory, authority);
    }

    /**
     * A certificate for a process of that name, mapped to the role ("@metaserver", "@node:n1",
     * ...).
     */
    Path issueHost(String name, String role) {
        return issue(name, role, ORGANISATION + "/OU=Hosts/CN=" + name, HERE);
    }

    /** A certificate for a person, mapped to the local user name. */
    Path issueUser(String user, String mapped) {
        return issue("user-" + user, mapped, ORGANISATION + "/OU=People/CN=" + user, List.of());
    }

    Path trust() {
        return authority.certificates();
    }

    Path gridMap() {
        return directory.resolve("grid-mapfile");
    }

    /** Of who issues tokens for trying. */
    Path tokenKeys() {
        return TrialIssuer.open(directory);
    }

    private Path issue(String fileName, String mapped, String dn, List<String> hosts) {
        Path file = directory.resolve(fileName + ".pem");
        if (!Files.exists(file)) {
            authority.issue(new Order(dn, hosts, false, LIFETIME)).save(file);
            MapFile.add(gridMap(), dn, mapped);
        }
        return file;
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
