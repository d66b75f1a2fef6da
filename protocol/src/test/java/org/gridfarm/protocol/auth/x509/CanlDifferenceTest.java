package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

import eu.emi.security.authn.x509.CrlCheckingMode;
import eu.emi.security.authn.x509.ProxySupport;
import eu.emi.security.authn.x509.ValidationResult;
import eu.emi.security.authn.x509.impl.CRLParameters;
import eu.emi.security.authn.x509.impl.InMemoryKeystoreCertChainValidator;
import eu.emi.security.authn.x509.impl.RevocationParametersExt;
import eu.emi.security.authn.x509.impl.ValidatorParamsExt;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.SampleChains.Flaw;
import org.gridfarm.protocol.auth.x509.SampleChains.Made;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The same chains as {@link ChainDifferenceTest} beside canl, which the Java services of the grids
 * use. What canl lets pass and we do not has a rule with a name here; what canl refuses we refuse.
 */
class CanlDifferenceTest {
    /** What canl is content with. */
    private static final Map<Flaw, String> RULES =
            new EnumMap<>(
                    Map.of(
                            Flaw.EXPIRED_PROXY,
                            "RFC 5280, 4.1.2.5: canl forgives five minutes",
                            Flaw.TOO_DEEP,
                            "a chain has six proxies at most",
                            Flaw.UNKNOWN_POLICY,
                            "RFC 3820, 4.1.4: a policy that is not understood is refused",
                            Flaw.INFORMATION_NOT_CRITICAL,
                            "RFC 3820, 3.8: proxyCertInfo is critical",
                            Flaw.PROXY_FOR_KEYS_ALONE,
                            "RFC 3820, 3.5: who proves himself by signing needs a key for it"));

    @TempDir private Path directory;

    @Test
    void canlRefusesNothingThatWeTakeAndTakesNothingOfWhichNoRuleOfOursSaysWhyNot()
            throws Exception {
        long seed = Tier.seed(20261127L);
        SampleChains samples = new SampleChains(new Random(seed));
        ChainValidator ours = new ChainValidator(samples.trust());
        InMemoryKeystoreCertChainValidator theirs = canl(samples);
        Map<Flaw, Integer> stricter = new EnumMap<>(Flaw.class);
        List<Flaw> rules = List.copyOf(RULES.keySet());
        int taken = 0;
        int count = Tier.count("chains");
        for (int i = 0; i < count; i++) {
            Made made = i < rules.size() ? samples.make(Set.of(rules.get(i))) : samples.make();
            List<X509Certificate> chain = made.credential().chain();
            String refusal = refusal(ours, chain);
            String what = "chain %d of seed %d: %s".formatted(i, seed, made.flaws());
            assertThat(refusal.isEmpty())
                    .as(what + ", ours: " + refusal)
                    .isEqualTo(made.flaws().isEmpty());
            String said = canlRefusal(theirs, chain);
            if (refusal.isEmpty()) {
                assertThat(said).as(what + " is refused by canl alone").isEmpty();
                taken++;
            } else if (said.isEmpty()) {
                assertThat(made.flaws())
                        .as(what + " is refused by us alone: " + refusal)
                        .allMatch(RULES::containsKey);
                made.flaws().forEach(flaw -> stricter.merge(flaw, 1, Integer::sum));
            }
        }
        theirs.dispose();
        assertThat(taken).as("sound chains").isGreaterThan(count / 5);
        assertThat(stricter.keySet())
                .as("rules that are ours alone, each seen at work")
                .isEqualTo(RULES.keySet());
    }

    private InMemoryKeystoreCertChainValidator canl(SampleChains samples) throws Exception {
        KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
        anchors.load(null, null);
        anchors.setCertificateEntry("ca", samples.authority().certificate());
        List<String> files = new ArrayList<>();
        for (X509CRL list : samples.lists()) {
            Path file = directory.resolve(files.size() + ".r0");
            Files.write(file, list.getEncoded());
            files.add(file.toString());
        }
        return new InMemoryKeystoreCertChainValidator(
                anchors,
                new ValidatorParamsExt(
                        new RevocationParametersExt(
                                CrlCheckingMode.REQUIRE, new CRLParameters(files, -1, 1000, null)),
                        ProxySupport.ALLOW));
    }

    /** It throws at an authority that has the trusted one's name and another key. */
    private static String canlRefusal(
            InMemoryKeystoreCertChainValidator canl, List<X509Certificate> chain) {
        try {
            ValidationResult said = canl.validate(chain.toArray(X509Certificate[]::new));
            return said.isValid() ? "" : "refused: " + said;
        } catch (NullPointerException e) {
            return "failed: " + e;
        }
    }

    private static String refusal(ChainValidator ours, List<X509Certificate> chain) {
        try {
            ours.validate(chain, Part.CLIENT, SampleChains.NOW);
            return "";
        } catch (CertificateException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
