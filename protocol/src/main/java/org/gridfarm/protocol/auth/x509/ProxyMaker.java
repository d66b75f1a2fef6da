package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Makes RFC 3820 proxies: short-lived certificates by which a user lets a process act as him. Works
 * from RSA and EC credentials, and from a proxy as well as from a user certificate; a proxy of a
 * limited proxy is limited.
 */
public final class ProxyMaker {
    public static final Duration LIFETIME_DEFAULT = Duration.ofHours(12);

    /** The key of the new proxy. */
    public enum KeyKind {
        P256,
        RSA_2048
    }

    /**
     * What the new proxy may do.
     *
     * @param limited data access only: no job may be submitted with it
     * @param pathLength how many further proxies may stand below it; empty for no limit
     * @param lifetime shortened to what the issuing chain has left
     */
    public record Options(
            boolean limited, OptionalInt pathLength, Duration lifetime, KeyKind keyKind) {
        public static Options usual() {
            return new Options(false, OptionalInt.empty(), LIFETIME_DEFAULT, KeyKind.P256);
        }

        public Options asLimited() {
            return new Options(true, pathLength, lifetime, keyKind);
        }

        public Options withPathLength(int length) {
            return new Options(limited, OptionalInt.of(length), lifetime, keyKind);
        }

        public Options withLifetime(Duration time) {
            return new Options(limited, pathLength, time, keyKind);
        }

        public Options withKey(KeyKind kind) {
            return new Options(limited, pathLength, lifetime, kind);
        }
    }

    private ProxyMaker() {}

    /** A proxy with a new key. */
    public static Credential make(Credential issuer, Options options, Instant now)
            throws GeneralSecurityException {
        KeyPair keys =
                options.keyKind == KeyKind.P256
                        ? Algorithms.newEcKeys()
                        : Algorithms.newRsaKeys(Algorithms.RSA_BITS_MIN);
        return new Credential(sign(issuer, keys.getPublic(), options, now), keys.getPrivate());
    }

    /**
     * A proxy for a key that somebody else made and keeps: the chain to hand back to him. The
     * caller has made sure that the other side holds the private key.
     */
    public static List<X509Certificate> sign(
            Credential issuer, PublicKey key, Options options, Instant now)
            throws GeneralSecurityException {
        Algorithms.requireStrong(key);
        X509Certificate above = issuer.certificate();
        boolean limited = options.limited;
        ProxyCertInfo aboveInfo = ProxyCertInfo.of(above).orElse(null);
        if (aboveInfo != null) {
            limited |= aboveInfo.limited();
            if (aboveInfo.pathLength().isPresent() && aboveInfo.pathLength().getAsInt() == 0) {
                throw new GeneralSecurityException(
                        "this proxy may not make further proxies (path length 0)");
            }
        }
        Instant notAfter = earlier(now.plus(options.lifetime), issuer.notAfter());
        if (!notAfter.isAfter(now)) {
            throw new GeneralSecurityException("the credential ran out at " + issuer.notAfter());
        }
        BigInteger serial = CertificateWriter.newSerial();
        DistinguishedName issuerName = DistinguishedName.subjectOf(above);
        X509Certificate proxy =
                new CertificateWriter(
                                issuerName,
                                issuerName.withCommonName(serial.toString()),
                                key,
                                later(
                                        now.minus(CertificateAuthority.BACKDATED),
                                        above.getNotBefore().toInstant()),
                                notAfter)
                        .serial(serial)
                        .keyUsage(CertificateWriter.DIGITAL_SIGNATURE)
                        .keyIdentifiers(above)
                        .extension(
                                ProxyCertInfo.OID,
                                true,
                                new ProxyCertInfo(limited, options.pathLength).der())
                        .sign(issuer.key());
        List<X509Certificate> chain = new ArrayList<>();
        chain.add(proxy);
        chain.addAll(issuer.chain());
        return List.copyOf(chain);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
