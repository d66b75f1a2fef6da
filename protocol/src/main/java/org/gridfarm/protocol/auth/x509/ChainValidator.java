package org.gridfarm.protocol.auth.x509;

import org.jspecify.annotations.Nullable;

import java.security.GeneralSecurityException;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Judges a peer's chain: RFC 5280 for the part up to the end entity (the JDK's PKIX), RFC 3820 for
 * the proxies below it.
 *
 * <p>The end entity is the first certificate without a proxyCertInfo extension. Of the proxies only
 * the policies "inherit all" and Globus "limited" pass; limited sticks; path lengths only shrink.
 * Nothing is forgiven: no grace time, no weak algorithm, no extension that is critical and unknown.
 *
 * <p>Thread-safe. The trust store is asked for anew at each chain, so a reloaded one takes effect
 * at once.
 */
public final class ChainValidator {
    /** Certificates in one chain, the end of the JDK's own tolerance for a client's chain. */
    public static final int CERTIFICATES_MAX = 8;

    /**
     * Proxies below one end entity; each is a signature to verify and a delegation nobody needs
     * deeper.
     */
    public static final int PROXIES_MAX = 6;

    static final String NAME_CONSTRAINTS = "2.5.29.30";
    private static final String ANY_PURPOSE = "2.5.29.37.0";

    /** In which part the peer speaks. */
    public enum Part {
        CLIENT(CertificateWriter.CLIENT_AUTH),
        SERVER(CertificateWriter.SERVER_AUTH);

        private final String purpose;

        Part(String purpose) {
            this.purpose = purpose;
        }
    }

    private final Supplier<TrustStore> trust;

    public ChainValidator(TrustStore trust) {
        this(() -> trust);
    }

    public ChainValidator(Supplier<TrustStore> trust) {
        this.trust = trust;
    }

    /**
     * Accepts the chain or says in one line why not. The peer's own certificate comes first, each
     * next one issued the one before; the trusted authority may be left out.
     */
    public AuthenticatedChain validate(List<X509Certificate> chain, Part part, Instant now)
            throws CertificateException {
        if (chain.isEmpty() || chain.size() > CERTIFICATES_MAX) {
            throw new CertificateException(
                    "chain of %d certificates, accepted are 1 to %d"
                            .formatted(chain.size(), CERTIFICATES_MAX));
        }
        for (X509Certificate certificate : chain) {
            requireSound(certificate, now);
        }
        int depth = 0;
        while (depth < chain.size() && ProxyCertInfo.isIn(chain.get(depth))) {
            depth++;
        }
        if (depth == chain.size()) {
            throw new CertificateException(
                    "the chain holds proxies only, without the certificate they stand for");
        }
        if (depth > PROXIES_MAX) {
            throw new CertificateException(
                    "%d proxies, accepted are %d".formatted(depth, PROXIES_MAX));
        }
        if (depth > 0 && part == Part.SERVER) {
            throw new CertificateException("a server shows its own certificate, never a proxy");
        }
        X509Certificate endEntity = chain.get(depth);
        requireEndEntity(endEntity, part);
        X509Certificate anchor = validateBase(chain.subList(depth, chain.size()), now);
        boolean limited = ProxyRules.check(chain.subList(0, depth + 1), part.purpose);

        Instant notAfter = anchor.getNotAfter().toInstant();
        for (X509Certificate certificate : chain) {
            Instant end = certificate.getNotAfter().toInstant();
            notAfter = end.isBefore(notAfter) ? end : notAfter;
        }
        return new AuthenticatedChain(
                DistinguishedName.subjectOf(endEntity).toString(),
                DistinguishedName.issuerOf(endEntity).toString(),
                endEntity,
                limited,
                depth,
                notAfter);
    }

    private static void requireSound(X509Certificate certificate, Instant now)
            throws CertificateException {
        if (certificate.getVersion() != 3) {
            throw new CertificateException(
                    "certificate of version " + certificate.getVersion() + ", accepted is 3");
        }
        Algorithms.requireStrong(certificate.getPublicKey());
        Algorithms.requireStrongSignature(certificate.getSigAlgOID());
        requireInTime(certificate, now);
    }

    private static void requireInTime(X509Certificate certificate, Instant now)
            throws CertificateException {
        if (now.isAfter(certificate.getNotAfter().toInstant())) {
            throw new CertificateException(
                    "certificate expired at %s: %s"
                            .formatted(
                                    certificate.getNotAfter().toInstant(),
                                    certificate.getSubjectX500Principal()));
        }
        if (now.isBefore(certificate.getNotBefore().toInstant())) {
            throw new CertificateException(
                    "certificate is valid only from %s: %s"
                            .formatted(
                                    certificate.getNotBefore().toInstant(),
                                    certificate.getSubjectX500Principal()));
        }
    }

    private static void requireEndEntity(X509Certificate certificate, Part part)
            throws CertificateException {
        if (certificate.getBasicConstraints() >= 0) {
            throw new CertificateException(
                    "a certificate of an authority stands where a user's or host's belongs");
        }
        boolean[] usage = certificate.getKeyUsage();
        if (usage != null && !usage[CertificateWriter.DIGITAL_SIGNATURE]) {
            throw new CertificateException("the certificate is not for digital signatures");
        }
        requirePurpose(certificate, part.purpose);
    }

    static void requirePurpose(X509Certificate certificate, String purpose)
            throws CertificateException {
        List<String> purposes = certificate.getExtendedKeyUsage();
        if (purposes != null && !purposes.contains(purpose) && !purposes.contains(ANY_PURPOSE)) {
            throw new CertificateException("the certificate is not for this side of a connection");
        }
    }

    /** Validates from the end entity upwards; returns the authority that carried it. */
    private X509Certificate validateBase(List<X509Certificate> base, Instant now)
            throws CertificateException {
        TrustStore store = trust.get();
        int end = base.size();
        while (end > 1 && store.isAnchor(base.get(end - 1))) {
            end--;
        }
        List<X509Certificate> below = base.subList(0, end);
        @Nullable CertificateException refusal = null;
        for (X509Certificate anchor :
                store.anchorsNamed(below.get(end - 1).getIssuerX500Principal())) {
            try {
                validateBelow(anchor, below, store, now);
                return anchor;
            } catch (CertificateException e) {
                refusal = e; // during a change of keys another authority of the same name may fit
            }
        }
        throw refusal != null
                ? refusal
                : new CertificateException(
                        "not issued by a trusted authority: "
                                + below.get(end - 1).getIssuerX500Principal());
    }

    /**
     * PKIX applies nothing that an anchor's own certificate says, and the JDK takes no constraints
     * beside it. As the self-issued first step of the path it is a certificate like others, so an
     * authority that limits itself to some names is held to them. Those without limits stay out of
     * the path: many of them have signed themselves with algorithms that nobody should accept.
     */
    private static List<X509Certificate> withConstraints(
            X509Certificate anchor, List<X509Certificate> below) {
        if (anchor.getExtensionValue(NAME_CONSTRAINTS) == null) {
            return below;
        }
        List<X509Certificate> path = new ArrayList<>(below);
        path.add(anchor);
        return path;
    }

    private static void validateBelow(
            X509Certificate anchor, List<X509Certificate> below, TrustStore store, Instant now)
            throws CertificateException {
        // PKIX looks at neither the dates nor the path length of the anchor itself.
        requireInTime(anchor, now);
        if (below.size() - 1 > anchor.getBasicConstraints()) {
            throw new CertificateException(
                    "more authorities in the chain than the trusted one allows");
        }
        try {
            PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(anchor, null)));
            parameters.setRevocationEnabled(false); // done below, from the lists at hand
            parameters.setDate(Date.from(now));
            CertPath path =
                    CertificateFactory.getInstance("X.509")
                            .generateCertPath(withConstraints(anchor, below));
            CertPathValidator.getInstance("PKIX").validate(path, parameters);
        } catch (CertPathValidatorException e) {
            throw new CertificateException("chain refused: " + e.getMessage(), e);
        } catch (CertificateException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new CertificateException("chain cannot be checked: " + e.getMessage(), e);
        }
        for (int i = 0; i < below.size(); i++) {
            X509Certificate issuer = i + 1 < below.size() ? below.get(i + 1) : anchor;
            store.requireNotRevoked(below.get(i), issuer, now);
            store.requireMayName(issuer, below.get(i));
        }
    }
}
