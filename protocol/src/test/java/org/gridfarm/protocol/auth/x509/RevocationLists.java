package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Revocation lists of the certificates at hand. */
final class RevocationLists {
    private RevocationLists() {}

    static X509CRL of(
            CertificateAuthority authority,
            Instant from,
            Instant nextUpdate,
            X509Certificate... revoked)
            throws GeneralSecurityException {
        Map<BigInteger, Instant> serials = new LinkedHashMap<>();
        for (X509Certificate certificate : revoked) {
            serials.put(certificate.getSerialNumber(), from);
        }
        return authority.revocationList(BigInteger.ONE, from, nextUpdate, serials);
    }
}
