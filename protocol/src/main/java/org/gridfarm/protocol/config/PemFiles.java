package org.gridfarm.protocol.config;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.util.Optional;

/**
 * For TLS of libraries that read their files themselves.
 *
 * @param credential this server's key and certificates, one PEM file
 * @param trust the authorities, one PEM file
 */
public record PemFiles(Path credential, Path trust) {
    /** Reads {@code tls_credential, tls_trust} of a section; both or none. */
    public static Optional<PemFiles> readIfAny(Config section) {
        Optional<Path> credential = section.pathIfAny("tls_credential");
        Optional<Path> trust = section.pathIfAny("tls_trust");
        if (credential.isPresent() != trust.isPresent()) {
            throw section.wrong(
                    credential.isPresent() ? "tls_credential" : "tls_trust",
                    "tls_credential and tls_trust go together");
        }
        credential.ifPresent(file -> requireSecret(section, file));
        return credential.flatMap(file -> trust.map(ca -> new PemFiles(file, ca)));
    }

    /** The library would not mind others reading it. */
    private static void requireSecret(Config section, Path file) {
        try {
            Object unused = SecretFile.read(file);
        } catch (FarmException e) {
            throw section.wrong("tls_credential", e.getMessage());
        }
    }
}
