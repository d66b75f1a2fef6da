package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.math.BigInteger;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A small certificate authority, for farms without one of their own and for tests: it signs, and
 * what it has signed others remember. Sites that have a grid CA use its certificates and never need
 * this.
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

    /**
     * What somebody wants certified.
     *
     * @param dn slash form
     * @param hosts names and addresses of a host, whose certificate is good for both ends of a
     *     connection; none for a person
     * @param rsa an RSA key of 3072 bits, for tools that know no other; P-256 otherwise
     */
    public record Order(String dn, List<String> hosts, boolean rsa, Duration lifetime) {
        public Order {
            hosts = List.copyOf(hosts);
        }

        /** The same again, as for a certificate that is to be renewed. */
        public static Order like(X509Certificate certificate, boolean rsa, Duration lifetime)
                throws GeneralSecurityException {
            return new Order(
                    DistinguishedName.subjectOf(certificate).toString(),
                    HostNames.of(certificate),
                    rsa,
                    lifetime);
        }
    }

    private static final int RSA_BITS = 3072;

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

    /** The same, with an RSA key for those who know no other, and another lifetime. */
    public static CertificateAuthority create(
            String dn, Instant now, Duration lifetime, boolean rsa)
            throws GeneralSecurityException {
        return create(dn, now, lifetime, OptionalInt.empty(), keys(rsa));
    }

    static CertificateAuthority create(
            String dn, Instant now, Duration lifetime, OptionalInt pathLength)
            throws GeneralSecurityException {
        return create(dn, now, lifetime, pathLength, keys(false));
    }

    private static CertificateAuthority create(
            String dn, Instant now, Duration lifetime, OptionalInt pathLength, KeyPair keys)
            throws GeneralSecurityException {
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

    private static KeyPair keys(boolean rsa) throws GeneralSecurityException {
        return rsa ? Algorithms.newRsaKeys(RSA_BITS) : Algorithms.newEcKeys();
    }

    /**
     * This authority until a later day: the same name and key, and a new certificate of its own.
     */
    public CertificateAuthority renewed(Instant now, Duration lifetime)
            throws GeneralSecurityException {
        KeyPair keys = new KeyPair(certificate().getPublicKey(), self.key());
        int length = certificate().getBasicConstraints();
        OptionalInt pathLength =
                length == Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of(length);
        return create(name.toString(), now, lifetime, pathLength, keys);
    }

    /** Reads what {@link #save} wrote. */
    public static CertificateAuthority load(Path directory) {
        return load(directory, PassPhrase.NONE);
    }

    public static CertificateAuthority load(Path directory, PassPhrase phrase) {
        try {
            return new CertificateAuthority(
                    Credential.load(
                            directory.resolve(CERTIFICATE_FILE),
                            directory.resolve(KEY_FILE),
                            phrase));
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read certificate authority",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** Writes ca.pem and ca.key, the key with mode 600 and in the clear. */
    public void save(Path directory) {
        save(directory, PassPhrase.NONE);
    }

    /** The same, the key under the phrase if there is one. */
    public void save(Path directory, PassPhrase phrase) {
        try {
            String key = self.keyPem(phrase);
            Files.createDirectories(directory);
            SecretFile.write(directory.resolve(KEY_FILE), key);
            Files.writeString(directory.resolve(CERTIFICATE_FILE), certificatePem());
        } catch (IOException | GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write certificate authority",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** A certificate for a key that is made here. */
    public Credential issue(Order order, Instant now) throws GeneralSecurityException {
        KeyPair keys = keys(order.rsa());
        try {
            Instant end = now.plus(order.lifetime());
            Instant own = self.notAfter();
            CertificateWriter writer =
                    endEntity(order.dn(), keys, now, end.isBefore(own) ? end : own);
            if (order.hosts().isEmpty()) {
                writer.extendedKeyUsage(CertificateWriter.CLIENT_AUTH);
            } else {
                writer.extendedKeyUsage(
                                CertificateWriter.SERVER_AUTH, CertificateWriter.CLIENT_AUTH)
                        .hostNames(order.hosts());
            }
            return issued(writer.sign(self.key()), keys);
        } catch (UnknownHostException e) {
            throw new GeneralSecurityException("not an address: " + e.getMessage(), e);
        }
    }

    /**
     * The list of what this authority has revoked.
     *
     * @param number higher than that of every list before
     * @param revoked serial numbers, and since when each does not hold
     */
    public X509CRL revocationList(
            BigInteger number, Instant now, Instant nextUpdate, Map<BigInteger, Instant> revoked)
            throws GeneralSecurityException {
        return RevocationListWriter.sign(
                name,
                self.key(),
                CertificateWriter.keyIdentifier(certificate()),
                number,
                now,
                nextUpdate,
                revoked);
    }

    /**
     * A host or service certificate: good for both ends of a connection, for exactly these names
     * and addresses.
     */
    public Credential issueHost(String dn, List<String> namesAndAddresses, Instant now)
            throws GeneralSecurityException {
        return issue(new Order(dn, namesAndAddresses, false, HOST_LIFETIME), now);
    }

    public Credential issueUser(String dn, Instant now) throws GeneralSecurityException {
        return issue(new Order(dn, List.of(), false, USER_LIFETIME), now);
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
