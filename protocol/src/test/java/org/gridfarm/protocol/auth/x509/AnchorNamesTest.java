package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.gridfarm.protocol.auth.x509.Grid.NOW;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** A trusted authority whose own certificate says which names it gives (RFC 5280, 4.2.1.10). */
class AnchorNamesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int PERMITTED = 0;
    private static final int EXCLUDED = 1;

    @TempDir private Path directory;

    /** One that signs itself, or that another signs. */
    private static Credential authority(
            String dn, @Nullable Credential signer, byte[]... constraints)
            throws GeneralSecurityException {
        KeyPair keys = Algorithms.newEcKeys();
        DistinguishedName name = DistinguishedName.parse(dn);
        CertificateWriter writer =
                new CertificateWriter(
                                signer == null
                                        ? name
                                        : DistinguishedName.subjectOf(signer.certificate()),
                                name,
                                keys.getPublic(),
                                NOW.minus(HOUR),
                                NOW.plus(HOUR))
                        .authority(OptionalInt.empty())
                        .keyUsage(CertificateWriter.KEY_CERT_SIGN, CertificateWriter.CRL_SIGN);
        if (constraints.length > 0) {
            writer.extension(ChainValidator.NAME_CONSTRAINTS, true, Der.sequence(constraints));
        }
        X509Certificate own = writer.sign(signer == null ? keys.getPrivate() : signer.key());
        List<X509Certificate> chain = new ArrayList<>(List.of(own));
        if (signer != null) {
            chain.addAll(signer.chain().subList(0, signer.chain().size() - 1)); // not the anchor
        }
        return new Credential(chain, keys.getPrivate());
    }

    /** Subtrees of names, [0] permitted or [1] excluded. */
    private static byte[] names(int which, String... slashes) {
        byte[][] trees = new byte[slashes.length][];
        for (int i = 0; i < slashes.length; i++) {
            byte[] name = DistinguishedName.parse(slashes[i]).der();
            trees[i] = Der.sequence(Der.explicit(4, name));
        }
        return Der.explicit(which, join(trees));
    }

    private static byte[] hosts(int which, String domain) {
        return Der.explicit(
                which, Der.sequence(Der.implicit(2, domain.getBytes(StandardCharsets.US_ASCII))));
    }

    private static byte[] join(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) all.writeBytes(part);
        return all.toByteArray();
    }

    private static Credential issued(Credential by, String dn, String... hosts) throws Exception {
        KeyPair keys = Algorithms.newEcKeys();
        CertificateWriter writer =
                new CertificateWriter(
                                DistinguishedName.subjectOf(by.certificate()),
                                DistinguishedName.parse(dn),
                                keys.getPublic(),
                                NOW.minus(HOUR),
                                NOW.plus(HOUR))
                        .notAuthority()
                        .keyUsage(CertificateWriter.DIGITAL_SIGNATURE);
        if (hosts.length > 0) writer.hostNames(List.of(hosts));
        List<X509Certificate> chain = new ArrayList<>(List.of(writer.sign(by.key())));
        if (!by.certificate()
                .getIssuerX500Principal()
                .equals(by.certificate().getSubjectX500Principal())) {
            chain.addAll(by.chain());
        }
        return new Credential(chain, keys.getPrivate());
    }

    private static String refusal(Credential anchor, Credential shown) throws Exception {
        try {
            new ChainValidator(TrustStore.of(anchor.certificate()))
                    .validate(shown.chain(), Part.CLIENT, NOW);
            return "";
        } catch (CertificateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void itIsHeldToTheNamesThatItPermitsItself() throws Exception {
        Credential anchor = authority("/O=Site/CN=CA", null, names(PERMITTED, "/O=Site", "/C=JP"));
        Credential alice = issued(anchor, "/O=Site/OU=Users/CN=Alice");
        assertThat(refusal(anchor, alice)).isEmpty();
        assertThat(refusal(anchor, issued(anchor, "/C=JP/O=Any/CN=Bob"))).isEmpty();
        assertThat(refusal(anchor, Grid.limitedProxyOf(Grid.proxyOf(alice)))).isEmpty();
        for (String other :
                List.of("/O=Other/CN=Eve", "/O=Sites/CN=Eve", "/CN=Eve", "/OU=x/O=Site/CN=Eve")) {
            Credential eve = issued(anchor, other);
            assertThat(refusal(anchor, eve)).as(other).contains("name constraints");
            assertThat(refusal(anchor, Grid.proxyOf(eve))).as(other).contains("name constraints");
        }
    }

    @Test
    void whatItExcludesItDoesNotGiveEither() throws Exception {
        Credential anchor =
                authority("/O=Site/CN=CA", null, names(EXCLUDED, "/O=Site/OU=metaserver"));
        assertThat(refusal(anchor, issued(anchor, "/O=Site/OU=Users/CN=Alice"))).isEmpty();
        assertThat(refusal(anchor, issued(anchor, "/O=Site/OU=metaserver/CN=m1")))
                .contains("name constraints");
    }

    @Test
    void itsHostsAndTheAuthoritiesBelowItAreHeldToThem() throws Exception {
        Credential anchor =
                authority(
                        "/O=Site/CN=CA",
                        null,
                        Der.explicit(
                                PERMITTED,
                                join(
                                        Der.sequence(
                                                Der.explicit(
                                                        4,
                                                        DistinguishedName.parse("/O=Site").der())),
                                        Der.sequence(
                                                Der.implicit(
                                                        2,
                                                        "site.example"
                                                                .getBytes(
                                                                        StandardCharsets
                                                                                .US_ASCII))))),
                        hosts(EXCLUDED, "desk.site.example"));
        assertThat(refusal(anchor, issued(anchor, "/O=Site/CN=n1", "n1.site.example"))).isEmpty();
        for (String host : List.of("n1.other.example", "x.desk.site.example", "mysite.example")) {
            assertThat(refusal(anchor, issued(anchor, "/O=Site/CN=n1", host)))
                    .as(host)
                    .contains("name constraints");
        }
        Credential other = authority("/O=Site/CN=CA", null, names(PERMITTED, "/O=Site"));
        Credential below = authority("/O=Site/CN=Below", other);
        assertThat(refusal(other, issued(below, "/O=Site/CN=Bob"))).isEmpty();
        assertThat(refusal(other, issued(below, "/O=Other/CN=Bob"))).contains("name constraints");
    }

    /**
     * It cannot be put into the path that it carries: whoever trusts it is told to trust the other.
     */
    @Test
    void oneThatAnotherSignedIsNotTrustedWithThem() throws Exception {
        Credential root = authority("/O=Root/CN=CA", null);
        Credential below = authority("/O=Site/CN=CA", root, names(PERMITTED, "/O=Site"));
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> TrustStore.of(below.certificate()))
                .withMessageContaining("trust the authority above it");
        // In a directory it takes the trust from no other.
        Files.writeString(directory.resolve("a.pem"), Pem.text(below.certificate()));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> TrustStore.load(directory, RevocationPolicy.WHEN_PRESENT));
        Files.writeString(directory.resolve("b.pem"), Pem.text(root.certificate()));
        TrustStore store = TrustStore.load(directory, RevocationPolicy.WHEN_PRESENT);
        assertThat(store.size()).isEqualTo(1);
        ChainValidator judge = new ChainValidator(store);
        List<X509Certificate> bob = issued(below, "/O=Site/CN=Bob").chain();
        assertThat(judge.validate(bob, Part.CLIENT, NOW).dn()).isEqualTo("/O=Site/CN=Bob");
        List<X509Certificate> eve = issued(below, "/O=Other/CN=Eve").chain();
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> judge.validate(eve, Part.CLIENT, NOW))
                .withMessageContaining("name constraints");
    }
}
