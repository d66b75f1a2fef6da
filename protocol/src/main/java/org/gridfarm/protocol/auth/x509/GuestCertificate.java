package org.gridfarm.protocol.auth.x509;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * What a program shows that has no certificate: a key made for this process, in a certificate that
 * it has signed itself. It proves that all connections which show it are of one process, and so
 * gives tickets something to be bound to; it says of nobody who he is.
 */
public final class GuestCertificate {
    private static final DistinguishedName NAME = DistinguishedName.parse("/CN=gridfarm guest");
    private static final Duration LIFE = Duration.ofDays(3650); // the key ends with its process
    private static final Duration SKEW = Duration.ofDays(1);

    private GuestCertificate() {}

    /** A new key. It is never written anywhere. */
    public static Credential make(Instant now) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            X509Certificate certificate =
                    new CertificateWriter(
                                    NAME, NAME, pair.getPublic(), now.minus(SKEW), now.plus(LIFE))
                            .notAuthority()
                            .keyUsage(CertificateWriter.DIGITAL_SIGNATURE)
                            .sign(pair.getPrivate());
            return new Credential(List.of(certificate), pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java platform has P-256", e);
        }
    }

    /** Whether that is one: alone, and issued by the name that no authority would give. */
    public static boolean is(List<X509Certificate> chain) {
        if (chain.size() != 1) return false;
        byte[] name = NAME.der();
        X509Certificate only = chain.get(0);
        return Arrays.equals(only.getSubjectX500Principal().getEncoded(), name)
                && Arrays.equals(only.getIssuerX500Principal().getEncoded(), name);
    }

    /** What it proves; refused where its key is weak or huge, or it has run out. */
    public static AuthenticatedChain judge(X509Certificate certificate, Instant now)
            throws CertificateException {
        Algorithms.requireStrong(certificate.getPublicKey());
        if (certificate.getNotAfter().toInstant().isBefore(now)) {
            throw new CertificateException("the guest's certificate has expired");
        }
        String dn = NAME.toString();
        return new AuthenticatedChain(
                dn, dn, certificate, true, 0, certificate.getNotAfter().toInstant());
    }
}
