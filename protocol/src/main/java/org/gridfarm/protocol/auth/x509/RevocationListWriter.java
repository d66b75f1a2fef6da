package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509CRL;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes one complete revocation list, version 2 (RFC 5280, section 5). */
final class RevocationListWriter {
    private static final String CRL_NUMBER = "2.5.29.20";

    private RevocationListWriter() {}

    /**
     * @param number higher than that of every list before
     * @param revoked serial numbers, and since when each does not hold
     */
    static X509CRL sign(
            DistinguishedName issuer,
            PrivateKey key,
            byte[] keyIdentifier,
            BigInteger number,
            Instant from,
            Instant nextUpdate,
            Map<BigInteger, Instant> revoked)
            throws GeneralSecurityException {
        byte[] algorithm = Algorithms.signatureIdentifier(Algorithms.signatureOf(key));
        List<byte[]> parts = new ArrayList<>();
        parts.add(Der.integer(1)); // v2
        parts.add(algorithm);
        parts.add(issuer.der());
        parts.add(Der.time(from));
        parts.add(Der.time(nextUpdate));
        if (!revoked.isEmpty()) { // an empty sequence is not allowed here
            parts.add(
                    Der.sequence(
                            revoked.entrySet().stream()
                                    .map(entry ->
                                            Der.sequence(
                                                    Der.integer(entry.getKey()),
                                                    Der.time(entry.getValue())))
                                    .toArray(byte[][]::new)));
        }
        parts.add(
                Der.explicit(
                        0,
                        Der.sequence(
                                extension(
                                        CertificateWriter.AUTHORITY_KEY_IDENTIFIER,
                                        Der.sequence(Der.implicit(0, keyIdentifier))),
                                extension(CRL_NUMBER, Der.integer(number)))));
        byte[] body = Der.sequence(parts.toArray(byte[][]::new));
        byte[] signature = Der.bits(Algorithms.sign(key, body), 0);
        return Pem.revocationList(Der.sequence(body, algorithm, signature));
    }

    private static byte[] extension(String oid, byte[] value) {
        return Der.sequence(Der.oid(oid), Der.octets(value));
    }
}
