package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Chains and requests for proxies, in DER; {@code DecoderFuzzTest} changes them by the thousand.
 */
class ChainJazzerTest {
    private static final SampleChains SAMPLES;
    private static final byte[] GOOD;

    static {
        try {
            SAMPLES = new SampleChains(new Random(1));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (X509Certificate one : SAMPLES.make(java.util.Set.of()).credential().chain()) {
                all.writeBytes(one.getEncoded());
            }
            GOOD = all.toByteArray();
        } catch (GeneralSecurityException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Stream<byte[]> chains() throws GeneralSecurityException {
        return Stream.of(GOOD, GuestCertificate.make(SampleChains.NOW).certificate().getEncoded());
    }

    @MethodSource("chains")
    @FuzzTest(maxDuration = "1m")
    void chains(byte[] der) throws GeneralSecurityException {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            for (Certificate one :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(der))) {
                chain.add((X509Certificate) one);
            }
        } catch (CertificateException e) {
            return; // none at all
        }
        try {
            new ChainValidator(SAMPLES.trust()).validate(chain, Part.CLIENT, SampleChains.NOW);
            assertThat(Arrays.equals(der, GOOD) || chain.size() > 1).isTrue();
        } catch (CertificateException e) {
            assertThat(Arrays.equals(der, GOOD)).isFalse();
        }
        if (GuestCertificate.is(chain)) judge(chain.get(0));
    }

    private static void judge(X509Certificate guest) {
        try {
            assertThat(GuestCertificate.judge(guest, SampleChains.NOW).limited()).isTrue();
        } catch (CertificateException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    static Stream<byte[]> requests() throws GeneralSecurityException {
        return Stream.of(ProxyKey.make().request());
    }

    @MethodSource("requests")
    @FuzzTest(maxDuration = "1m")
    void requests(byte[] der) {
        try {
            assertThat(ProxyKey.in(der)).isNotNull();
        } catch (GeneralSecurityException e) {
            assertThat(der).isNotNull();
        }
    }
}
