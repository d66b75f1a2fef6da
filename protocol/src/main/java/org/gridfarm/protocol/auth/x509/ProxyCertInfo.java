package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The proxyCertInfo extension of RFC 3820, section 3.8, reduced to the two policies this farm
 * accepts.
 */
record ProxyCertInfo(boolean limited, OptionalInt pathLength) {
    static final String OID = "1.3.6.1.5.5.7.1.14";
    static final String INHERIT_ALL = "1.3.6.1.5.5.7.21.1";
    static final String GLOBUS_LIMITED = "1.3.6.1.4.1.3536.1.1.1.9";

    static boolean isIn(X509Certificate certificate) {
        return certificate.getExtensionValue(OID) != null;
    }

    /** Empty where the certificate is no proxy. */
    static Optional<ProxyCertInfo> of(X509Certificate certificate)
            throws CertificateParsingException {
        byte[] wrapped = certificate.getExtensionValue(OID);
        return wrapped == null
                ? Optional.empty()
                : Optional.of(parse(new DerReader(wrapped).enter(Der.OCTET_STRING).content()));
    }

    byte[] der() {
        byte[] policy = Der.sequence(Der.oid(limited ? GLOBUS_LIMITED : INHERIT_ALL));
        return pathLength.isPresent()
                ? Der.sequence(Der.integer(pathLength.getAsInt()), policy)
                : Der.sequence(policy);
    }

    private static ProxyCertInfo parse(byte[] der) throws CertificateParsingException {
        DerReader whole = new DerReader(der);
        DerReader info = whole.enter(Der.SEQUENCE);
        whole.requireEnd();
        OptionalInt pathLength = OptionalInt.empty();
        if (info.peek() == Der.INTEGER) {
            BigInteger length = info.integer();
            if (length.signum() < 0) {
                throw new CertificateParsingException("proxy path length is negative");
            }
            pathLength =
                    OptionalInt.of(length.min(BigInteger.valueOf(Integer.MAX_VALUE)).intValue());
        }
        DerReader policy = info.enter(Der.SEQUENCE);
        info.requireEnd();
        String language = policy.oid();
        if (policy.hasMore()) {
            throw new CertificateParsingException(
                    "proxy policy " + language + " carries a text, which is not supported");
        }
        return switch (language) {
            case INHERIT_ALL -> new ProxyCertInfo(false, pathLength);
            case GLOBUS_LIMITED -> new ProxyCertInfo(true, pathLength);
            default ->
                    throw new CertificateParsingException(
                            "proxy policy " + language + " is not supported");
        };
    }
}
