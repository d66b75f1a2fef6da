package org.gridfarm.client.cli.authority;

import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.auth.x509.Pem;
import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;

/** The files of one certificate: PREFIX.pem and PREFIX.key, or PREFIX.pem with both. */
public final class IssuedFiles {
    private final Path certificate;
    private final Path key;

    public IssuedFiles(Path prefix, boolean oneFile) {
        this.certificate = prefix.resolveSibling(prefix.getFileName() + ".pem");
        this.key = oneFile ? certificate : prefix.resolveSibling(prefix.getFileName() + ".key");
    }

    private IssuedFiles(Path certificate, Path key) {
        this.certificate = certificate;
        this.key = key;
    }

    /** Those that are there: the key stands in the certificate's file, or beside it. */
    public static IssuedFiles of(Path certificate) {
        boolean holdsKey = SecretFile.readPublic(certificate).contains("PRIVATE KEY-----");
        String name = certificate.getFileName().toString();
        String stem = name.endsWith(".pem") ? name.substring(0, name.length() - 4) : name;
        return new IssuedFiles(
                certificate, holdsKey ? certificate : certificate.resolveSibling(stem + ".key"));
    }

    public void requireAbsent() {
        for (Path file : List.of(certificate, key)) {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FarmException(
                        ErrorKind.ALREADY_EXISTS,
                        "issue",
                        file.toString(),
                        "it is there; gf ca renew replaces it, --out names another");
            }
        }
    }

    public X509Certificate certificate() {
        try {
            List<X509Certificate> chain = Pem.certificates(SecretFile.readPublic(certificate));
            if (!chain.isEmpty()) return chain.get(0);
            throw new FarmException(
                    ErrorKind.INVALID, "renew", certificate.toString(), "no certificate in it");
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    public boolean isEncrypted() {
        return Files.exists(key) && isEncrypted(key);
    }

    public static boolean isEncrypted(Path key) {
        return Pem.isKeyEncrypted(SecretFile.read(key));
    }

    /**
     * Replaces both, the key first. A file that was there keeps its owner; a daemon that reads
     * between the two finds a key that does not fit, keeps what it has and looks again.
     */
    public void write(Credential credential, PassPhrase phrase) {
        try {
            String secret = credential.keyPem(phrase);
            if (key.equals(certificate)) {
                replace(key, credential.chainPem() + secret, "rw-------");
            } else {
                replace(key, secret, "rw-------");
                replace(certificate, credential.chainPem(), "rw-r--r--");
            }
        } catch (GeneralSecurityException | IOException e) {
            throw failed(e);
        }
    }

    public String written() {
        return key.equals(certificate) ? certificate.toString() : certificate + " and " + key;
    }

    private static void replace(Path file, String text, String mode) throws IOException {
        PosixFileAttributes before =
                Files.exists(file) ? Files.readAttributes(file, PosixFileAttributes.class) : null;
        Path part = file.resolveSibling("." + file.getFileName() + ".new");
        SecretFile.write(part, text);
        try {
            PosixFileAttributeView view =
                    Files.getFileAttributeView(part, PosixFileAttributeView.class);
            if (before != null && !before.owner().equals(view.getOwner())) {
                view.setOwner(before.owner());
                view.setGroup(before.group());
            }
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(mode));
            Files.move(
                    part,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private FarmException failed(Exception cause) {
        return new FarmException(
                ErrorKind.DISK_FAILED,
                "write certificate",
                certificate.toString(),
                String.valueOf(cause.getMessage()),
                cause);
    }
}
