package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * A small grid with an authority and Alice, and the means to make certificates that nobody should
 * accept.
 */
final class Grid {
    static final String ALICE_DN = "/O=Grid/OU=Users/CN=Alice";
    static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    final CertificateAuthority authority = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
    final Credential alice = authority.issueUser(ALICE_DN, NOW);

    Grid() throws GeneralSecurityException {}

    ChainValidator validator() throws GeneralSecurityException {
        return new ChainValidator(TrustStore.of(authority.certificate()));
    }

    /** A certificate by the authority, with whatever a test puts into it. */
    Credential issue(String dn, Instant from, Instant to, UnaryOperator<CertificateWriter> contents)
            throws GeneralSecurityException {
        return issue(authority, dn, from, to, contents);
    }

    static Credential issue(
            CertificateAuthority by,
            String dn,
            Instant from,
            Instant to,
            UnaryOperator<CertificateWriter> contents)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        CertificateWriter writer =
                new CertificateWriter(
                        by.name(), DistinguishedName.parse(dn), keys.getPublic(), from, to);
        return by.issued(contents.apply(writer).sign(by.self().key()), keys);
    }

    static Credential proxyOf(Credential issuer) throws GeneralSecurityException {
        return ProxyMaker.make(issuer, ProxyMaker.Options.usual(), NOW);
    }

    static Credential limitedProxyOf(Credential issuer) throws GeneralSecurityException {
        return ProxyMaker.make(issuer, ProxyMaker.Options.usual().asLimited(), NOW);
    }

    static Credential proxyOf(Credential issuer, int pathLength) throws GeneralSecurityException {
        return ProxyMaker.make(issuer, ProxyMaker.Options.usual().withPathLength(pathLength), NOW);
    }

    /** How a forged or faulty proxy differs from a good one. */
    static final class Forgery {
        private final Credential issuer;
        private DistinguishedName issuerName;
        private DistinguishedName subject;
        private Instant from = NOW.minusSeconds(60);
        private Instant to = NOW.plus(Duration.ofHours(1));
        private byte[] info = new ProxyCertInfo(false, OptionalInt.empty()).der();
        private boolean critical = true;
        private KeyPair keys = Algorithms.newEcKeys();
        private Credential signer;
        private UnaryOperator<CertificateWriter> more =
                writer -> writer.keyUsage(CertificateWriter.DIGITAL_SIGNATURE);

        Forgery(Credential issuer) throws GeneralSecurityException {
            this.issuer = issuer;
            this.signer = issuer;
            this.issuerName = DistinguishedName.subjectOf(issuer.certificate());
            this.subject = issuerName.withCommonName("4711");
        }

        Forgery named(String dn) {
            subject = DistinguishedName.parse(dn);
            return this;
        }

        /** As proxies are named. */
        Forgery named(BigInteger number) throws GeneralSecurityException {
            subject = issuerName.withCommonName(number.toString());
            return this;
        }

        Forgery named(byte[] lastRdn) throws GeneralSecurityException {
            byte[] above = issuerName.der();
            DerReader rdns = new DerReader(above).enter(Der.SEQUENCE);
            subject = DistinguishedName.ofDer(Der.sequence(rdns.content(), lastRdn));
            return this;
        }

        Forgery issuedInTheNameOf(String dn) {
            issuerName = DistinguishedName.parse(dn);
            return this;
        }

        Forgery between(Instant start, Instant end) {
            from = start;
            to = end;
            return this;
        }

        Forgery info(byte[] der) {
            info = der;
            return this;
        }

        Forgery notCritical() {
            critical = false;
            return this;
        }

        Forgery keys(KeyPair pair) {
            keys = pair;
            return this;
        }

        Forgery signedBy(Credential other) {
            signer = other;
            return this;
        }

        Forgery with(UnaryOperator<CertificateWriter> contents) {
            more = contents;
            return this;
        }

        Credential make() throws GeneralSecurityException {
            CertificateWriter writer =
                    new CertificateWriter(issuerName, subject, keys.getPublic(), from, to);
            writer.extension(ProxyCertInfo.OID, critical, info);
            List<X509Certificate> chain = new ArrayList<>();
            chain.add(more.apply(writer).sign(signer.key()));
            chain.addAll(issuer.chain());
            return new Credential(chain, keys.getPrivate());
        }
    }
}
