package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Random chains, sound ones and such with one flaw or two, judged by us and by {@code openssl
 * verify -allow_proxy_certs}. We refuse every flaw. What OpenSSL lets pass has a rule of ours that
 * it does not know; what it refuses we refuse, but for {@link #widens one rule} that it adds.
 */
class ChainDifferenceTest {
    private static final Instant NOW = Grid.NOW;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int ANY_OTHER_POLICY_BYTES = 3;

    /** What may be wrong with a chain; the rule is ours where OpenSSL is content with it. */
    private enum Flaw {
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

        private final String rule;

        Flaw(String rule) {
            this.rule = rule;
        }
    }

    @TempDir private Path directory;
    private final Grid grid = new Grid();
    private final CertificateAuthority below =
            grid.authority.issueAuthority("/O=Grid/CN=Below", NOW);
    private final CertificateAuthority unknown = CertificateAuthority.create("/O=Other/CN=CA", NOW);
    private final CertificateAuthority impostor = CertificateAuthority.create("/O=Grid/CN=CA", NOW);
    private final Credential revoked = grid.authority.issueUser("/O=Grid/CN=Revoked", NOW);
    private final ChainValidator ours;
    private final long seed = Tier.seed(20261126L);
    private final Random random = new Random(seed);

    ChainDifferenceTest() throws GeneralSecurityException {
        ours =
                new ChainValidator(
                        TrustStore.of(
                                List.of(grid.authority.certificate()),
                                List.of(list(grid.authority, revoked), list(below)),
                                RevocationPolicy.REQUIRED));
    }

    private static java.security.cert.X509CRL list(CertificateAuthority by, Credential... revoked)
            throws GeneralSecurityException {
        return by.revocationList(
                BigInteger.ONE,
                NOW.minus(HOUR),
                NOW.plus(HOUR),
                revoked.length == 0
                        ? Map.of()
                        : Map.of(revoked[0].certificate().getSerialNumber(), NOW.minus(HOUR)));
    }

    /** A chain and what is wrong with it. */
    private record Made(List<X509Certificate> chain, Set<Flaw> flaws) {}

    @Test
    void opensslRefusesNothingThatWeTakeAndTakesNothingOfWhichNoRuleOfOursSaysWhyNot()
            throws Exception {
        Files.writeString(directory.resolve("root.pem"), grid.authority.certificatePem());
        Files.writeString(
                directory.resolve("lists.pem"),
                Pem.text(list(grid.authority, revoked)) + Pem.text(list(below)));
        Map<Flaw, Integer> stricter = new EnumMap<>(Flaw.class);
        int taken = 0;
        int widened = 0;
        int count = Tier.count("chains");
        for (int i = 0; i < count; i++) {
            Made made = make();
            String refusal = ourRefusal(made.chain);
            String theirs = opensslRefusal(made.chain);
            String what = "chain %d of seed %d: %s".formatted(i, seed, made.flaws);
            assertThat(refusal.isEmpty())
                    .as(what + ", ours: " + refusal)
                    .isEqualTo(made.flaws.isEmpty());
            if (refusal.isEmpty() && widens(made.chain)) {
                assertThat(theirs).as(what).contains("proxy path length constraint exceeded");
                widened++;
            } else if (refusal.isEmpty()) {
                assertThat(theirs).as(what + " is refused by OpenSSL alone").isEmpty();
                taken++;
            } else if (theirs.isEmpty()) {
                assertThat(made.flaws)
                        .as(what + " is refused by us alone: " + refusal)
                        .allMatch(flaw -> !flaw.rule.isEmpty());
                made.flaws.forEach(flaw -> stricter.merge(flaw, 1, Integer::sum));
            }
        }
        assertThat(taken).as("sound chains").isGreaterThan(count / 5);
        assertThat(widened).as("chains whose path lengths widen").isPositive();
        assertThat(stricter.keySet())
                .as("rules that are ours alone, each seen at work")
                .isEqualTo(
                        EnumSet.complementOf(
                                EnumSet.copyOf(
                                        List.of(Flaw.values()).stream()
                                                .filter(flaw -> flaw.rule.isEmpty())
                                                .toList())));
    }

    /**
     * Whether a proxy says that more may stand below it than one above allows. By RFC 3820, 4.1.3
     * (b)(1) the lesser holds, and nothing is wrong while nobody makes use of it; OpenSSL, which
     * reads from the last proxy up, refuses the chain at once.
     */
    private static boolean widens(List<X509Certificate> chain) throws CertificateException {
        int least = 0; // that OpenSSL wants of the next one above
        for (X509Certificate one : chain) {
            ProxyCertInfo info = ProxyCertInfo.of(one).orElse(null);
            if (info == null) return false;
            if (info.pathLength().isPresent()) {
                if (least > info.pathLength().getAsInt()) return true;
                least = info.pathLength().getAsInt();
            }
            least++;
        }
        return false;
    }

    private Made make() throws GeneralSecurityException {
        Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);
        while (random.nextInt(3) > 0 && flaws.size() < 2) {
            flaws.add(Flaw.values()[random.nextInt(Flaw.values().length)]);
        }
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
            forgery.between(NOW.plusSeconds(60), NOW.plus(HOUR));
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
        return new Made(chain, done);
    }

    private static X509Certificate certificate(byte[] der) throws CertificateException {
        return (X509Certificate)
                java.security.cert.CertificateFactory.getInstance("X.509")
                        .generateCertificate(new java.io.ByteArrayInputStream(der));
    }

    private String ourRefusal(List<X509Certificate> chain) {
        try {
            ours.validate(chain, Part.CLIENT, NOW);
            return "";
        } catch (CertificateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private String opensslRefusal(List<X509Certificate> chain) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "openssl",
                                "verify",
                                "-allow_proxy_certs",
                                "-purpose",
                                "sslclient",
                                "-attime",
                                Long.toString(NOW.getEpochSecond()),
                                "-crl_check_all",
                                "-CRLfile",
                                "lists.pem",
                                "-CAfile",
                                "root.pem"));
        Files.writeString(directory.resolve("leaf.pem"), Pem.text(chain.get(0)));
        if (chain.size() > 1) {
            write("above.pem", chain.subList(1, chain.size()));
            command.addAll(List.of("-untrusted", "above.pem"));
        }
        command.add("leaf.pem");
        Path said = directory.resolve("said");
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(said);
        boolean taken = process.exitValue() == 0;
        assertThat(text).contains(taken ? "leaf.pem: OK" : " lookup: ");
        return taken ? "" : text;
    }

    private void write(String file, List<X509Certificate> certificates)
            throws IOException, CertificateException {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) text.append(Pem.text(certificate));
        Files.writeString(directory.resolve(file), text);
    }
}
