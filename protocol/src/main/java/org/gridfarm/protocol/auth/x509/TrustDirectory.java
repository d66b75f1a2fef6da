package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Writes what a grid directory says of one authority, named by the {@link SubjectHash hash} of its
 * name as OpenSSL and the tools of grids look for it: {@code HASH.0} its certificate, {@code
 * HASH.signing_policy} which names it may give, {@code HASH.r0} what it has revoked. A reader sees
 * the old file or the new one.
 */
public final class TrustDirectory {
    private final Path directory;

    /** It need not be there yet. */
    public TrustDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * @param names patterns of the names that it may give, such as {@code /O=Site/*}
     * @throws FarmException ALREADY_EXISTS where another authority of that hash is there
     */
    public void write(X509Certificate authority, List<String> names) {
        try {
            String hash = SubjectHash.of(authority);
            Files.createDirectories(directory);
            Path file = directory.resolve(hash + ".0");
            if (Files.exists(file)
                    && !Pem.certificates(SecretFile.readPublic(file))
                            .get(0)
                            .getSubjectX500Principal()
                            .equals(authority.getSubjectX500Principal())) {
                throw new FarmException(
                        ErrorKind.ALREADY_EXISTS,
                        "write authority",
                        file.toString(),
                        "it is of another authority, whose name has the same hash");
            }
            replace(file, Pem.text(authority));
            replace(directory.resolve(hash + ".signing_policy"), policy(authority, names));
        } catch (GeneralSecurityException | IOException e) {
            throw failed(e);
        }
    }

    public void write(X509Certificate authority, X509CRL list) {
        try {
            replace(directory.resolve(SubjectHash.of(authority) + ".r0"), Pem.text(list));
        } catch (GeneralSecurityException | IOException e) {
            throw failed(e);
        }
    }

    private static String policy(X509Certificate authority, List<String> names)
            throws GeneralSecurityException {
        String quoted = String.join(" ", names.stream().map(name -> '"' + name + '"').toList());
        return """
        # Which names this authority may give; others of its certificates are refused.
        access_id_CA      X509         '%s'
        pos_rights        globus        CA:sign
        cond_subjects     globus     '%s'
        """
                .formatted(DistinguishedName.subjectOf(authority), quoted);
    }

    private void replace(Path file, String text) throws IOException {
        Path part =
                Files.createTempFile(
                        directory,
                        "." + file.getFileName(),
                        ".part",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(part, text, StandardCharsets.UTF_8);
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-r--r--"));
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
                "write authority",
                directory.toString(),
                String.valueOf(cause.getMessage()),
                cause);
    }
}
