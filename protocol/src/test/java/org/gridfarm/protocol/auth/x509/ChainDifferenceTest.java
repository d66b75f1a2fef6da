package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.SampleChains.Flaw;
import org.gridfarm.protocol.auth.x509.SampleChains.Made;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Random chains, sound ones and such with one flaw or two, judged by us and by {@code openssl
 * verify -allow_proxy_certs}. We refuse every flaw. What OpenSSL lets pass has a rule of ours that
 * it does not know; what it refuses we refuse, but for {@link #widens one rule} that it adds.
 */
class ChainDifferenceTest {
    private static final Instant NOW = SampleChains.NOW;

    @TempDir private Path directory;
    private final long seed = Tier.seed(20261126L);
    private final SampleChains samples = new SampleChains(new Random(seed));
    private final ChainValidator ours = new ChainValidator(samples.trust());

    ChainDifferenceTest() throws GeneralSecurityException {}

    @Test
    void opensslRefusesNothingThatWeTakeAndTakesNothingOfWhichNoRuleOfOursSaysWhyNot()
            throws Exception {
        Files.writeString(directory.resolve("root.pem"), samples.authority().certificatePem());
        StringBuilder lists = new StringBuilder();
        for (X509CRL list : samples.lists()) lists.append(Pem.text(list));
        Files.writeString(directory.resolve("lists.pem"), lists);
        Map<Flaw, Integer> stricter = new EnumMap<>(Flaw.class);
        int taken = 0;
        int widened = 0;
        int count = Tier.count("chains");
        for (int i = 0; i < count; i++) {
            Made made = samples.make();
            List<X509Certificate> chain = made.credential().chain();
            String refusal = ourRefusal(chain);
            String theirs = opensslRefusal(chain);
            String what = "chain %d of seed %d: %s".formatted(i, seed, made.flaws());
            assertThat(refusal.isEmpty())
                    .as(what + ", ours: " + refusal)
                    .isEqualTo(made.flaws().isEmpty());
            if (refusal.isEmpty() && widens(chain)) {
                assertThat(theirs).as(what).contains("proxy path length constraint exceeded");
                widened++;
            } else if (refusal.isEmpty()) {
                assertThat(theirs).as(what + " is refused by OpenSSL alone").isEmpty();
                taken++;
            } else if (theirs.isEmpty()) {
                assertThat(made.flaws())
                        .as(what + " is refused by us alone: " + refusal)
                        .allMatch(flaw -> !flaw.rule.isEmpty());
                made.flaws().forEach(flaw -> stricter.merge(flaw, 1, Integer::sum));
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
