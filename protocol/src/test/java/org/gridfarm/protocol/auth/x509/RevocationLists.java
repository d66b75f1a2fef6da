package org.gridfarm.protocol.auth.x509;

import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** Writes revocation lists (RFC 5280, section 5). */
final class RevocationLists {
    private RevocationLists() {}

    static X509CRL of(
            CertificateAuthority authority,
            Instant from,
            Instant nextUpdate,
            X509Certificate... revoked)
            throws GeneralSecurityException {
        byte[][] entries = new byte[revoked.length][];
        for (int i = 0; i < revoked.length; i++) {
            entries[i] = Der.sequence(Der.integer(revoked[i].getSerialNumber()), Der.time(from));
        }
        byte[] algorithm =
                Algorithms.signatureIdentifier(Algorithms.signatureOf(authority.self().key()));
        byte[] body =
                Der.sequence(
                        Der.integer(1), // v2
                        algorithm,
                        authority.name().der(),
                        Der.time(from),
                        Der.time(nextUpdate),
                        Der.sequence(entries));
        byte[] signature = Der.bits(Algorithms.sign(authority.self().key(), body), 0);
        return Pem.revocationList(Der.sequence(body, algorithm, signature));
    }
}
