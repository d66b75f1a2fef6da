package org.gridfarm.protocol.auth.x509;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** RFC 3820, section 4: is each proxy rightly issued by the certificate above it? */
final class ProxyRules {
    private static final Set<String> UNDERSTOOD =
            Set.of(
                    CertificateWriter.KEY_USAGE,
                    CertificateWriter.EXTENDED_KEY_USAGE,
                    CertificateWriter.BASIC_CONSTRAINTS,
                    ProxyCertInfo.OID);

    private ProxyRules() {}

    /**
     * Checks the proxies of a chain that ends with the end entity, from the end entity down.
     *
     * @return whether a limited proxy is among them
     */
    static boolean check(List<X509Certificate> proxiesAndEndEntity, String purpose)
            throws CertificateException {
        boolean limited = false;
        int budget = ChainValidator.PROXIES_MAX;
        for (int i = proxiesAndEndEntity.size() - 2; i >= 0; i--) {
            X509Certificate proxy = proxiesAndEndEntity.get(i);
            X509Certificate issuer = proxiesAndEndEntity.get(i + 1);
            requireNamedBelow(proxy, issuer);
            requireNoAuthority(proxy);
            requireExtensions(proxy);
            ChainValidator.requirePurpose(proxy, purpose);
            ProxyCertInfo info = ProxyCertInfo.of(proxy).orElseThrow();
            if (budget == 0) {
                throw new CertificateException(
                        "proxy stands deeper than a path length above it allows");
            }
            budget = Math.min(budget - 1, info.pathLength().orElse(Integer.MAX_VALUE));
            if (limited && !info.limited()) {
                throw new CertificateException("full proxy below a limited one");
            }
            limited = info.limited();
            try {
                proxy.verify(issuer.getPublicKey());
            } catch (CertificateException e) {
                throw e;
            } catch (GeneralSecurityException e) {
                throw new CertificateException(
                        "proxy was not signed by the certificate above it", e);
            }
        }
        return limited;
    }

    private static void requireNamedBelow(X509Certificate proxy, X509Certificate issuer)
            throws CertificateException {
        DistinguishedName issuerName = DistinguishedName.subjectOf(issuer);
        if (!DistinguishedName.issuerOf(proxy).sameBytes(issuerName)) {
            throw new CertificateException(
                    "proxy names another issuer than the certificate above it");
        }
        if (!DistinguishedName.subjectOf(proxy).isOneCommonNameBelow(issuerName)) {
            throw new CertificateException("proxy's name is not its issuer's with one CN added");
        }
    }

    private static void requireNoAuthority(X509Certificate proxy) throws CertificateException {
        if (proxy.getBasicConstraints() >= 0) {
            throw new CertificateException("proxy claims to be an authority");
        }
        boolean[] usage = proxy.getKeyUsage();
        if (usage != null
                && (!usage[CertificateWriter.DIGITAL_SIGNATURE]
                        || usage[CertificateWriter.KEY_CERT_SIGN]
                        || usage[CertificateWriter.CRL_SIGN])) {
            throw new CertificateException("proxy has a key usage that proxies must not have");
        }
    }

    private static void requireExtensions(X509Certificate proxy) throws CertificateException {
        Set<String> critical = proxy.getCriticalExtensionOIDs();
        if (critical == null || !critical.contains(ProxyCertInfo.OID)) {
            throw new CertificateException("proxy's proxyCertInfo extension is not critical");
        }
        Set<String> unknown = new HashSet<>(critical);
        unknown.removeAll(UNDERSTOOD);
        if (!unknown.isEmpty()) {
            throw new CertificateException(
                    "proxy has critical extensions that are not understood: " + unknown);
        }
        if (proxy.getExtensionValue(CertificateWriter.SUBJECT_ALTERNATIVE_NAME) != null
                || proxy.getExtensionValue(CertificateWriter.ISSUER_ALTERNATIVE_NAME) != null) {
            throw new CertificateException(
                    "proxy has an alternative name, which proxies must not have");
        }
    }
}
