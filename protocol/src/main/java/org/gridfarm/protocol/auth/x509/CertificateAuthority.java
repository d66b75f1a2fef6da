package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A small certificate authority with P-256 keys, for farms without one of their own and for tests.
 * Sites that have a grid CA use its certificates and never need this.
 */
public final class CertificateAuthority {
    public static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);
    public static final Duration HOST_LIFETIME = Duration.ofDays(398);
    public static final Duration USER_LIFETIME = Duration.ofDays(398);

    /**
     * Certificates start a little earlier, so that a peer whose clock is behind takes them at once.
     */
    public static final Duration BACKDATED = Duration.ofMinutes(5);

    private static final String CERTIFICATE_FILE = "ca.pem";
    private static final String KEY_FILE = "ca.key";

    private final Credential self;
    private final DistinguishedName name;

    private CertificateAuthority(Credential self) throws GeneralSecurityException {
        this.self = self;
        this.name = DistinguishedName.subjectOf(self.certificate());
    }

    /** A new root, named by its slash form. */
    public static CertificateAuthority create(String dn, Instant now)
            throws GeneralSecurityException {
        return create(dn, now, AUTHORITY_LIFETIME, OptionalInt.empty());
    }

    static CertificateAuthority create(
            String dn, Instant now, Duration lifetime, OptionalInt pathLength)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        DistinguishedName name = DistinguishedName.parse(dn);
        X509Certificate certificate =
                new CertificateWriter(
                                name,
                                name,
                                keys.getPublic(),
                                now.minus(BACKDATED),
                                now.plus(lifetime))
                        .authority(pathLength)
                        .keyUsage(CertificateWriter.KEY_CERT_SIGN, CertificateWriter.CRL_SIGN)
                        .keyIdentifiers(keys.getPublic())
                        .sign(keys.getPrivate());
        return new CertificateAuthority(new Credential(List.of(certificate), keys.getPrivate()));
    }

    /** Reads what {@link #save} wrote. */
    public static CertificateAuthority load(Path directory) {
        try {
            return new CertificateAuthority(
                    Credential.load(
                            directory.resolve(CERTIFICATE_FILE), directory.resolve(KEY_FILE)));
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read certificate authority",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** Writes ca.pem and ca.key, the key with mode 600. */
    public void save(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(CERTIFICATE_FILE), certificatePem());
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write certificate authority",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
        SecretFile.write(directory.resolve(KEY_FILE), Pem.text(self.key()));
    }

    /**
     * A host or service certificate: good for both ends of a connection, for exactly these names
     * and addresses.
     */
    public Credential issueHost(String dn, List<String> namesAndAddresses, Instant now)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        try {
            X509Certificate certificate =
                    endEntity(dn, keys, now, now.plus(HOST_LIFETIME))
                            .extendedKeyUsage(
                                    CertificateWriter.SERVER_AUTH, CertificateWriter.CLIENT_AUTH)
                            .hostNames(namesAndAddresses)
                            .sign(self.key());
            return issued(certificate, keys);
        } catch (UnknownHostException e) {
            throw new GeneralSecurityException("not an address: " + e.getMessage(), e);
        }
    }

    public Credential issueUser(String dn, Instant now) throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        X509Certificate certificate =
                endEntity(dn, keys, now, now.plus(USER_LIFETIME))
                        .extendedKeyUsage(CertificateWriter.CLIENT_AUTH)
                        .sign(self.key());
        return issued(certificate, keys);
    }

    /** An authority below this one, which may issue end certificates only. */
    public CertificateAuthority issueAuthority(String dn, Instant now)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        X509Certificate certificate =
                new CertificateWriter(
                                name,
                                DistinguishedName.parse(dn),
                                keys.getPublic(),
                                now.minus(BACKDATED),
                                now.plus(AUTHORITY_LIFETIME))
                        .authority(OptionalInt.of(0))
                        .keyUsage(CertificateWriter.KEY_CERT_SIGN, CertificateWriter.CRL_SIGN)
                        .keyIdentifiers(self.certificate())
                        .sign(self.key());
        return new CertificateAuthority(issued(certificate, keys));
    }

    /** This authority's own certificate: what others put into their trust directory. */
    public X509Certificate certificate() {
        return self.certificate();
    }

    public String certificatePem() {
        try {
            return Pem.text(certificate());
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "write certificate",
                    name.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    Credential self() {
        return self;
    }

    DistinguishedName name() {
        return name;
    }

    CertificateWriter endEntity(String dn, KeyPair keys, Instant now, Instant notAfter)
            throws GeneralSecurityException {
        return new CertificateWriter(
                        name,
                        DistinguishedName.parse(dn),
                        keys.getPublic(),
                        now.minus(BACKDATED),
                        notAfter)
                .notAuthority()
                .keyUsage(CertificateWriter.DIGITAL_SIGNATURE)
                .keyIdentifiers(self.certificate());
    }

    /** The new certificate with what leads from it to the root, the root itself left out. */
    Credential issued(X509Certificate certificate, KeyPair keys) {
        List<X509Certificate> chain = new ArrayList<>();
        chain.add(certificate);
        for (X509Certificate above : self.chain()) {
            if (!above.getSubjectX500Principal().equals(above.getIssuerX500Principal())) {
                chain.add(above);
            }
        }
        return new Credential(chain, keys.getPrivate());
    }
}
