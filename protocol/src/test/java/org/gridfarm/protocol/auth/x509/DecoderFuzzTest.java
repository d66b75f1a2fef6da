package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What strangers send before anybody knows them, and what files of others hold: good bytes, changed
 * at random. Each decoder refuses with the exception that it names, or takes what it then must be
 * able to work with; none throws anything else, and none takes a chain that was changed.
 */
class DecoderFuzzTest {
    private static final int CHANGES_MAX = 4;

    private final Random random = new Random(Tier.seed(20261126L));
    private final SampleChains samples = new SampleChains(new Random(1));
    private final int count = Tier.count("decoders");

    DecoderFuzzTest() throws GeneralSecurityException {}

    /** Something set, swapped, cut out, doubled or left off. */
    private byte[] changed(byte[] good) {
        byte[] bytes = good.clone();
        for (int i = 0; i <= random.nextInt(CHANGES_MAX) && bytes.length > 1; i++) {
            int at = random.nextInt(bytes.length);
            int until = at + random.nextInt(Math.min(16, bytes.length - at) + 1);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes = joined(Arrays.copyOf(bytes, at), bytes, until);
                case 3 -> bytes = joined(Arrays.copyOf(bytes, until), bytes, at);
                default -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
            }
        }
        return bytes;
    }

    private static byte[] joined(byte[] start, byte[] rest, int from) {
        byte[] all = Arrays.copyOf(start, start.length + rest.length - from);
        System.arraycopy(rest, from, all, start.length, rest.length - from);
        return all;
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
