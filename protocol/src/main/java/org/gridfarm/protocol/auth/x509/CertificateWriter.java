package org.gridfarm.protocol.auth.x509;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Writes one X.509 v3 certificate (RFC 5280, section 4.1). It obeys; what is sensible is its
 * callers' affair.
 */
final class CertificateWriter {
    static final String BASIC_CONSTRAINTS = "2.5.29.19";
    static final String KEY_USAGE = "2.5.29.15";
    static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    static final String SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";
    static final String ISSUER_ALTERNATIVE_NAME = "2.5.29.18";
    private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";
    static final String AUTHORITY_KEY_IDENTIFIER = "2.5.29.35";
    static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
    static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

    static final int DIGITAL_SIGNATURE = 0;
    static final int KEY_ENCIPHERMENT = 2;
    static final int KEY_CERT_SIGN = 5;
    static final int CRL_SIGN = 6;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SERIAL_BITS = 127; // positive and within the 20 octets of RFC 5280

    private final DistinguishedName issuer;
    private final DistinguishedName subject;
    private final PublicKey key;
    private final Instant notBefore;
    private final Instant notAfter;
    private BigInteger serial = newSerial();
    private final List<byte[]> extensions = new ArrayList<>();

    CertificateWriter(
            DistinguishedName issuer,
            DistinguishedName subject,
            PublicKey key,
            Instant notBefore,
            Instant notAfter) {
        this.issuer = issuer;
        this.subject = subject;
        this.key = key;
        this.notBefore = notBefore;
        this.notAfter = notAfter;
    }

    static BigInteger newSerial() {
        return new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS - 1);
    }

    CertificateWriter serial(BigInteger number) {
        serial = number;
        return this;
    }

    CertificateWriter extension(String oid, boolean critical, byte[] value) {
        extensions.add(
                critical
                        ? Der.sequence(Der.oid(oid), Der.bool(true), Der.octets(value))
                        : Der.sequence(Der.oid(oid), Der.octets(value)));
        return this;
    }

    CertificateWriter authority(OptionalInt pathLength) {
        byte[] value =
                pathLength.isPresent()
                        ? Der.sequence(Der.bool(true), Der.integer(pathLength.getAsInt()))
                        : Der.sequence(Der.bool(true));
        return extension(BASIC_CONSTRAINTS, true, value);
    }

    CertificateWriter notAuthority() {
        return extension(BASIC_CONSTRAINTS, true, Der.sequence());
    }

    CertificateWriter keyUsage(int... bits) {
        int set = 0;
        int highest = 0;
        for (int bit : bits) {
            set |= 0x80 >>> bit;
            highest = Math.max(highest, bit);
        }
        return extension(KEY_USAGE, true, Der.bits(new byte[] {(byte) set}, 7 - highest));
    }

    CertificateWriter extendedKeyUsage(String... purposes) {
        byte[][] oids = new byte[purposes.length][];
        for (int i = 0; i < purposes.length; i++) {
            oids[i] = Der.oid(purposes[i]);
        }
        return extension(EXTENDED_KEY_USAGE, false, Der.sequence(oids));
    }

    /** Host names and literal IP addresses. */
    CertificateWriter hostNames(List<String> names) throws UnknownHostException {
        List<byte[]> entries = new ArrayList<>();
        for (String name : names) {
            entries.add(
                    HostNames.isAddress(name)
                            ? Der.implicit(7, InetAddress.getByName(name).getAddress())
                            : Der.implicit(2, name.getBytes(StandardCharsets.US_ASCII)));
        }
        return extension(
                SUBJECT_ALTERNATIVE_NAME, false, Der.sequence(entries.toArray(byte[][]::new)));
    }

    CertificateWriter keyIdentifiers(PublicKey issuerKey) throws GeneralSecurityException {
        extension(SUBJECT_KEY_IDENTIFIER, false, Der.octets(identifier(key)));
        return extension(
                AUTHORITY_KEY_IDENTIFIER,
                false,
                Der.sequence(Der.implicit(0, identifier(issuerKey))));
    }

    /**
     * Names the issuer's key as the issuer's own certificate does, which may be another way than
     * ours.
     */
    CertificateWriter keyIdentifiers(X509Certificate issuerCertificate)
            throws GeneralSecurityException {
        extension(SUBJECT_KEY_IDENTIFIER, false, Der.octets(identifier(key)));
        return extension(
                AUTHORITY_KEY_IDENTIFIER,
                false,
                Der.sequence(Der.implicit(0, keyIdentifier(issuerCertificate))));
    }

    /** As the certificate names its own key, which may be another way than ours. */
    static byte[] keyIdentifier(X509Certificate certificate) throws GeneralSecurityException {
        byte[] named = certificate.getExtensionValue(SUBJECT_KEY_IDENTIFIER);
        return named == null
                ? identifier(certificate.getPublicKey())
                : new DerReader(named).enter(Der.OCTET_STRING).enter(Der.OCTET_STRING).content();
    }

    X509Certificate sign(PrivateKey issuerKey) throws GeneralSecurityException {
        byte[] algorithm = Algorithms.signatureIdentifier(Algorithms.signatureOf(issuerKey));
        byte[] body =
                Der.sequence(
                        Der.explicit(0, Der.integer(2)), // v3
                        Der.integer(serial),
                        algorithm,
                        issuer.der(),
                        Der.sequence(Der.time(notBefore), Der.time(notAfter)),
                        subject.der(),
                        key.getEncoded(),
                        Der.explicit(3, Der.sequence(extensions.toArray(byte[][]::new))));
        byte[] whole = Der.sequence(body, algorithm, Der.bits(Algorithms.sign(issuerKey, body), 0));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(whole));
    }

    /** RFC 5280, 4.2.1.2, method 1: SHA-1 of the key's bits. A name for a key, not a protection. */
    private static byte[] identifier(PublicKey key) throws GeneralSecurityException {
        DerReader info = new DerReader(key.getEncoded()).enter(Der.SEQUENCE);
        info.next();
        byte[] bits = info.enter(Der.BIT_STRING).content();
        MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
        sha1.update(bits, 1, bits.length - 1);
        return sha1.digest();
    }
}
