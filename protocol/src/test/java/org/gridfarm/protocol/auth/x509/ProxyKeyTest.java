package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

class ProxyKeyTest {
    private static final Instant NOW = Instant.now();
    private static final ProxyMaker.Options FOR_TASKS =
            ProxyMaker.Options.usual().asLimited().withPathLength(0);

    private final CertificateAuthority authority =
            CertificateAuthority.create("/O=Grid/CN=CA", NOW);
    private final Credential user = authority.issueUser("/O=Grid/CN=Alice", NOW);
    private final ProxyKey key;

    ProxyKeyTest() throws GeneralSecurityException {
        key = ProxyKey.make();
    }

    private List<X509Certificate> signed(ProxyMaker.Options options)
            throws GeneralSecurityException {
        return ProxyMaker.sign(user, ProxyKey.in(key.request()), options, NOW);
    }

    @Test
    void whatIsSignedForItIsAChainThatStands() throws GeneralSecurityException {
        Credential proxy = key.with(signed(FOR_TASKS));
        AuthenticatedChain chain =
                new ChainValidator(
                                TrustStore.of(
                                        List.of(authority.certificate()),
                                        List.of(),
                                        RevocationPolicy.WHEN_PRESENT))
                        .validate(proxy.chain(), Part.CLIENT, NOW);
        assertThat(chain.dn()).isEqualTo("/O=Grid/CN=Alice");
        assertThat(chain.limited()).isTrue();
        assertThat(proxy.mayNotDelegate()).isTrue();
        assertThatThrownBy(() -> ProxyMaker.make(proxy, ProxyMaker.Options.usual(), NOW))
                .hasMessageContaining("path length 0");
    }

    /** Another bit of each byte. */
    @Test
    void aRequestWithABitChangedIsRefused() throws GeneralSecurityException {
        byte[] request = key.request();
        PublicKey before = ProxyKey.in(request);
        for (int bit = 0; bit < request.length * 8; bit += 7) {
            byte[] changed = request.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> ProxyKey.in(changed))
                    .isInstanceOf(GeneralSecurityException.class);
        }
        assertThat(ProxyKey.in(request)).isEqualTo(before);
    }

    @Test
    void opensslFindsTheRequestSound(@TempDir Path directory)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path file = Files.write(directory.resolve("request.der"), key.request());
        Process openssl =
                new ProcessBuilder(
                                "openssl",
                                "req",
                                "-inform",
                                "DER",
                                "-in",
                                file.toString(),
                                "-verify",
                                "-noout")
                        .redirectErrorStream(true)
                        .start();
        String said = new String(openssl.getInputStream().readAllBytes(), "US-ASCII");
        assertThat(openssl.waitFor()).as(said).isZero();
        assertThat(said).containsIgnoringCase("verify OK");
    }

    @Test
    void moreThanTasksMayHaveIsNotTaken() throws GeneralSecurityException {
        assertThatThrownBy(() -> key.with(signed(FOR_TASKS.withPathLength(1))))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("path length 0");
        assertThatThrownBy(() -> key.with(signed(ProxyMaker.Options.usual().withPathLength(0))))
                .hasMessageContaining("limited");
        assertThatThrownBy(() -> key.with(signed(ProxyMaker.Options.usual().asLimited())))
                .hasMessageContaining("path length 0");
        assertThatThrownBy(() -> ProxyKey.make().with(signed(FOR_TASKS)))
                .hasMessageContaining("not for the key");
        assertThatThrownBy(() -> key.with(List.of())).hasMessageContaining("not for the key");
        assertThatThrownBy(() -> key.with(user.chain())).hasMessageContaining("not for the key");
    }
}
