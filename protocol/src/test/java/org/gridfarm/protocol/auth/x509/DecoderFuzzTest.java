package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What strangers send before anybody knows them, and what files of others hold: good bytes, changed
 * at random. Each decoder refuses with the exception that it names, or takes what it then must be
 * able to work with; none throws anything else, and none takes a chain that was changed.
 */
class DecoderFuzzTest {
    private final Random random = new Random(Tier.seed(20261126L));
    private final SampleChains samples = new SampleChains(new Random(1));
    private final int count = Tier.count("decoders");

    DecoderFuzzTest() throws GeneralSecurityException {}

    private byte[] changed(byte[] good) {
        return Changed.of(good, random);
    }

    @Test
    void chains() throws GeneralSecurityException {
        ChainValidator validator = new ChainValidator(samples.trust());
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> good = samples.make(java.util.Set.of()).credential().chain();
        assertThat(validator.validate(good, Part.CLIENT, SampleChains.NOW).dn()).isNotEmpty();
        int parsed = 0;
        for (int i = 0; i < count; i++) {
            List<X509Certificate> chain = new ArrayList<>(good);
            int which = random.nextInt(chain.size());
            byte[] bytes = changed(good.get(which).getEncoded());
            try {
                X509Certificate other =
                        (X509Certificate)
                                factory.generateCertificate(new ByteArrayInputStream(bytes));
                parsed++;
                chain.set(which, other);
                AuthenticatedChain taken = validator.validate(chain, Part.CLIENT, SampleChains.NOW);
                assertThat(other).as("taken as %s", taken).isEqualTo(good.get(which));
            } catch (GeneralSecurityException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
        assertThat(parsed).as("certificates that the validator saw").isGreaterThan(count / 20);
    }

    @Test
    void requestsForProxies() throws GeneralSecurityException {
        ProxyKey key = ProxyKey.make();
        byte[] good = key.request();
        for (int i = 0; i < count; i++) {
            byte[] bytes = changed(good);
            try {
                assertThat(ProxyKey.in(bytes)).isNotNull();
                assertThat(bytes).isEqualTo(good);
            } catch (GeneralSecurityException e) {
                assertThat(bytes).isNotEqualTo(good);
            }
        }
    }

    @Test
    void filesOfTrustDirectoriesAndMaps() {
        String namespaces =
                "TO Issuer \"/O=Grid/CN=CA\" \\\n PERMIT Subject \"/O=Grid/(A|B).*\"\n# end\n";
        String policy =
                "access_id_CA X509 '/O=Grid/CN=CA'\npos_rights globus CA:sign\ncond_subjects globus '\"/O=Grid/*\"'\n";
        String map = "\"/O=Grid/CN=A \\x41\\/b\" alice,astro\n\"/O=Grid/CN=n1\" @node:n1\n";
        for (int i = 0; i < count; i++) {
            try {
                Namespaces read = new Namespaces();
                read.add(text(namespaces), List.of("/O=Grid/CN=CA"));
                read.permits("/O=Grid/CN=CA", "/O=Grid/CN=A");
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            try {
                SigningPolicies read = new SigningPolicies();
                read.add(text(policy));
                read.permits("/O=Grid/CN=CA", "/O=Grid/CN=A");
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            try {
                GridMap.parse(text(map), "map").lookUp("/O=Grid/CN=n1");
            } catch (FarmException e) {
                assertThat(e.kind()).isEqualTo(ErrorKind.BAD_CONFIGURATION);
            }
        }
    }

    private String text(String good) {
        return new String(
                changed(good.getBytes(StandardCharsets.ISO_8859_1)), StandardCharsets.ISO_8859_1);
    }
}
