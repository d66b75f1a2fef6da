package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/** Random chains as of {@link #NOW}, sound ones and such with one flaw or two. */
public final class SampleChains {
    public static final Instant NOW = Grid.NOW;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int ANY_OTHER_POLICY_BYTES = 3;

    /** What may be wrong with a chain; the rule is ours where OpenSSL is content with it. */
    public enum Flaw {
        EXPIRED_PROXY(""),
        PROXY_OF_TOMORROW(""),
        PROXY_NAMED_ELSEWHERE(""),
        SIGNED_BY_ANOTHER(""),
        DEEPER_THAN_PATH_LENGTH(""),
        UNKNOWN_CRITICAL_EXTENSION(""),
        PROXY_WITH_OTHER_NAME(""),
        PROXY_OF_AUTHORITY(""),
        EXPIRED_USER(""),
        REVOKED_USER(""),
        UNKNOWN_AUTHORITY(""),
        IMPOSTOR_AUTHORITY(""),
        USER_AS_AUTHORITY(""),
        DAMAGED_SIGNATURE(""),
        NO_USER(""),
        FULL_BELOW_LIMITED("RFC 3820 leaves policies to applications: limited sticks"),
        UNKNOWN_POLICY("RFC 3820, 4.1.4: a policy that is not understood is refused"),
        INFORMATION_NOT_CRITICAL("RFC 3820, 3.8: proxyCertInfo is critical"),
        PROXY_FOR_KEYS_ALONE(""),
        SHUFFLED("RFC 8446, 4.4.2 of old: each certificate certifies the one before"),
        TOO_DEEP("a chain has six proxies at most");

        final String rule;

        Flaw(String rule) {
            this.rule = rule;
        }
    }

    private final Grid grid = new Grid();
    private final CertificateAuthority below =
            grid.authority.issueAuthority("/O=Grid/CN=Below", NOW);
    private final CertificateAuthority unknown = CertificateAuthority.create("/O=Other/CN=CA", NOW);
    private final CertificateAuthority impostor = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
    private final Credential revoked = grid.authority.issueUser("/O=Grid/CN=Revoked", NOW);
    private final Random random;

    public SampleChains(Random random) throws GeneralSecurityException {
        this.random = random;
    }

    /** The one that is trusted. */
    public CertificateAuthority authority() {
        return grid.authority;
    }

    /** Of the trusted authority and of the one below it; also this one, if it is revoked. */
    public List<X509CRL> lists(Credential... more) throws GeneralSecurityException {
        return List.of(list(grid.authority, more.length == 0 ? revoked : more[0]), list(below));
    }

    /** What trusts the authority and insists on lists. */
    public TrustStore trust(Credential... more) throws GeneralSecurityException {
        return TrustStore.of(
                List.of(grid.authority.certificate()), lists(more), RevocationPolicy.REQUIRED);
    }

    private static X509CRL list(CertificateAuthority by, Credential... revoked)
            throws GeneralSecurityException {
        return by.revocationList(
                BigInteger.ONE,
                NOW.minus(HOUR),
                NOW.plus(HOUR),
                revoked.length == 0
                        ? Map.of()
                        : Map.of(revoked[0].certificate().getSerialNumber(), NOW.minus(HOUR)));
    }

    /** A chain with its key, and what is wrong with it. */
    public record Made(Credential credential, Set<Flaw> flaws) {}

    public Made make() throws GeneralSecurityException {
        Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);
        while (random.nextInt(3) > 0 && flaws.size() < 2) {
            flaws.add(Flaw.values()[random.nextInt(Flaw.values().length)]);
        }
        return make(flaws);
    }

    /** With these flaws, as far as they go together. */
    public Made make(Set<Flaw> flaws) throws GeneralSecurityException {
        Set<Flaw> done = EnumSet.noneOf(Flaw.class);
        Credential credential = user(flaws, done);
        int depth = flaws.contains(Flaw.TOO_DEEP) ? 7 : 1 + random.nextInt(3);
        if (flaws.isEmpty()) depth = random.nextInt(5);
        if (flaws.contains(Flaw.TOO_DEEP)) done.add(Flaw.TOO_DEEP);
        int limits = random.nextInt(3); // no path lengths, wide ones, exact ones
        boolean limited = false;
        int guilty = random.nextInt(depth + (flaws.isEmpty() ? 1 : 0));
        for (int i = 0; i < depth; i++) {
            limited |= random.nextInt(4) == 0;
            OptionalInt length =
                    switch (limits) {
                        case 0 -> OptionalInt.empty();
                        case 1 -> OptionalInt.of(depth + random.nextInt(3));
                        default -> OptionalInt.of(depth - 1 - i);
                    };
            Set<Flaw> here = i == guilty ? flaws : Set.of();
            credential = proxy(credential, limited, length, here, done);
        }
        return finish(credential, flaws, done);
    }

    private Credential user(Set<Flaw> flaws, Set<Flaw> done) throws GeneralSecurityException {
        if (done(Flaw.EXPIRED_USER, flaws, done)) {
            return Grid.issue(
                    grid.authority,
                    "/O=Grid/CN=Late",
                    NOW.minus(HOUR),
                    NOW.minusSeconds(1),
                    writer -> writer.notAuthority().keyUsage(CertificateWriter.DIGITAL_SIGNATURE));
        }
        if (done(Flaw.REVOKED_USER, flaws, done)) return revoked;
        if (done(Flaw.UNKNOWN_AUTHORITY, flaws, done)) {
            return unknown.issueUser("/O=Grid/CN=Bob", NOW);
        }
        if (done(Flaw.IMPOSTOR_AUTHORITY, flaws, done)) {
            return impostor.issueUser(Grid.ALICE_DN, NOW);
        }
        if (done(Flaw.USER_AS_AUTHORITY, flaws, done)) {
            return userOf(grid.alice);
        }
        return (random.nextBoolean() ? grid.authority : below).issueUser("/O=Grid/CN=Bob", NOW);
    }

    private static Credential userOf(Credential issuer) throws GeneralSecurityException {
        java.security.KeyPair keys = Algorithms.newEcKeys();
        X509Certificate certificate =
                new CertificateWriter(
                                DistinguishedName.subjectOf(issuer.certificate()),
                                DistinguishedName.parse("/O=Grid/CN=Eve"),
                                keys.getPublic(),
                                NOW.minusSeconds(60),
                                NOW.plus(HOUR))
                        .notAuthority()
                        .keyUsage(CertificateWriter.DIGITAL_SIGNATURE)
                        .sign(issuer.key());
        List<X509Certificate> chain = new ArrayList<>(List.of(certificate));
        chain.addAll(issuer.chain());
        return new Credential(chain, keys.getPrivate());
    }

    private static boolean done(Flaw flaw, Set<Flaw> flaws, Set<Flaw> done) {
        return flaws.contains(flaw) && done.add(flaw);
    }

    /** A proxy of it, with the flaws that a proxy can have. */
    private Credential proxy(
            Credential issuer, boolean limited, OptionalInt length, Set<Flaw> flaws, Set<Flaw> done)
            throws GeneralSecurityException {
        Credential above = issuer;
        boolean narrow = limited;
        OptionalInt path = length;
        if (done(Flaw.DEEPER_THAN_PATH_LENGTH, flaws, done)) {
            byte[] last = new ProxyCertInfo(limited, OptionalInt.of(0)).der();
            above = new Grid.Forgery(above).info(last).make();
        }
        if (done(Flaw.FULL_BELOW_LIMITED, flaws, done)) {
            above = new Grid.Forgery(above).info(new ProxyCertInfo(true, length).der()).make();
            path = OptionalInt.empty();
            narrow = false;
        }
        Grid.Forgery forgery =
                new Grid.Forgery(above)
                        .named(BigInteger.valueOf(random.nextInt(Integer.MAX_VALUE)))
                        .info(new ProxyCertInfo(narrow, path).der());
        if (done(Flaw.EXPIRED_PROXY, flaws, done)) {
            forgery.between(NOW.minus(HOUR), NOW.minusSeconds(1));
        } else if (done(Flaw.PROXY_OF_TOMORROW, flaws, done)) {
            forgery.between(NOW.plus(HOUR.dividedBy(2)), NOW.plus(HOUR));
        }
        if (done(Flaw.PROXY_NAMED_ELSEWHERE, flaws, done)) forgery.named("/O=Grid/CN=Root/CN=1");
        if (done(Flaw.SIGNED_BY_ANOTHER, flaws, done)) forgery.signedBy(grid.alice);
        if (done(Flaw.UNKNOWN_POLICY, flaws, done)) forgery.info(otherPolicy());
        if (done(Flaw.INFORMATION_NOT_CRITICAL, flaws, done)) forgery.notCritical();
        if (done(Flaw.PROXY_FOR_KEYS_ALONE, flaws, done)) {
            forgery.with(writer -> writer.keyUsage(CertificateWriter.KEY_ENCIPHERMENT));
        } else if (done(Flaw.UNKNOWN_CRITICAL_EXTENSION, flaws, done)) {
            forgery.with(writer -> writer.extension("1.2.3.4", true, Der.nothing()));
        } else if (done(Flaw.PROXY_WITH_OTHER_NAME, flaws, done)) {
            byte[] name = Der.sequence(Der.implicit(2, new byte[] {'h'}));
            forgery.with(writer ->
                    writer.extension(CertificateWriter.SUBJECT_ALTERNATIVE_NAME, false, name));
        } else if (done(Flaw.PROXY_OF_AUTHORITY, flaws, done)) {
            forgery.with(writer -> writer.authority(OptionalInt.empty()));
        }
        return forgery.make();
    }

    private byte[] otherPolicy() {
        byte[] oid = Der.oid("1.3.6.1.5.5.7.21.2"); // independent, and what sites made up
        byte[] text = new byte[ANY_OTHER_POLICY_BYTES];
        return random.nextBoolean()
                ? Der.sequence(Der.sequence(oid))
                : Der.sequence(Der.sequence(Der.oid("1.3.6.1.4.1.99999.1"), Der.octets(text)));
    }

    private Made finish(Credential credential, Set<Flaw> flaws, Set<Flaw> done)
            throws GeneralSecurityException {
        List<X509Certificate> chain = new ArrayList<>(credential.chain());
        if (flaws.contains(Flaw.DAMAGED_SIGNATURE)) {
            done.add(Flaw.DAMAGED_SIGNATURE);
            byte[] bytes = chain.get(0).getEncoded();
            bytes[bytes.length - 1] ^= 1;
            chain.set(0, certificate(bytes));
        }
        if (flaws.contains(Flaw.SHUFFLED) && chain.size() > 2) {
            done.add(Flaw.SHUFFLED);
            Collections.swap(chain, 1, 2);
        }
        if (flaws.contains(Flaw.NO_USER)) {
            done.add(Flaw.NO_USER);
            chain.removeIf(one -> !ProxyCertInfo.isIn(one));
        }
        return new Made(new Credential(chain, credential.key()), done);
    }

    private static X509Certificate certificate(byte[] der) throws CertificateException {
        return (X509Certificate)
                java.security.cert.CertificateFactory.getInstance("X.509")
                        .generateCertificate(new java.io.ByteArrayInputStream(der));
    }
}
