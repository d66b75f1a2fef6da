package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.List;

class NamespacesTest {
    private static final Instant NOW = Instant.now();
    private static final String SITE = "/C=XX/O=Site/CN=CA";

    @Test
    void somethingPermitsANameAndNothingDeniesIt() {
        Namespaces namespaces = new Namespaces();
        namespaces.add(
                """
                # of the site
                TO Issuer "/C=XX/O=Site/CN=CA" \\
                  PERMIT Subject "/C=XX/O=Site/.*"
                to issuer SELF deny subject "/C=XX/O=Site/OU=old/.*"
                """,
                List.of(SITE));
        assertThat(namespaces.permits(SITE, "/C=XX/O=Site/CN=Alice")).isTrue();
        assertThat(namespaces.permits(SITE, "/C=XX/O=Site/OU=old/CN=Alice")).isFalse();
        assertThat(namespaces.permits(SITE, "/C=XX/O=Site")).isFalse();
        assertThat(namespaces.permits(SITE, "/O=Evil/C=XX/O=Site/CN=Alice")).isFalse();
        assertThat(namespaces.permits("/O=Other/CN=CA", "/O=Evil/CN=Alice")).isTrue();
    }

    @Test
    void whatIsNotUnderstoodIsAnError() {
        for (String bad :
                List.of(
                        "TO Issuer SELF PERMIT Subject /O=unquoted",
                        "TO Issuer SELF ALLOW Subject \"/O=x\"",
                        "TO Issuer SELF PERMIT Subject \"/O=(\"",
                        "TO Issuer \"/O=x\"")) {
            Namespaces namespaces = new Namespaces();
            assertThatThrownBy(() -> namespaces.add(bad, List.of(SITE)))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(namespaces.isEmpty()).isTrue();
        }
        assertThatThrownBy(() ->
                        new Namespaces().add("TO Issuer SELF PERMIT Subject \".*\"", List.of()))
                .hasMessageContaining("SELF");
    }

    /**
     * The file stands under another name order than the certificate: SELF is known all the same.
     */
    @Test
    void aTrustDirectoryHoldsItsAuthoritiesToThem(@TempDir Path trust)
            throws IOException, GeneralSecurityException {
        CertificateAuthority authority = CertificateAuthority.create(SITE, NOW);
        CertificateAuthority other = CertificateAuthority.create("/O=Other/CN=CA", NOW);
        Files.writeString(trust.resolve("Site.pem"), Pem.text(authority.certificate()));
        Files.writeString(trust.resolve("Other.pem"), Pem.text(other.certificate()));
        Files.writeString(
                trust.resolve("Site.namespaces"),
                "TO Issuer SELF PERMIT Subject \"/C=XX/O=Site/.*\"\n");
        Credential good = authority.issueUser("/C=XX/O=Site/CN=Alice", NOW);
        Credential bad = authority.issueUser("/O=Other/CN=Alice", NOW);
        Credential others = other.issueUser("/O=Other/CN=Alice", NOW);
        ChainValidator validator =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT));
        assertThat(validator.validate(good.chain(), Part.CLIENT, NOW).dn())
                .isEqualTo("/C=XX/O=Site/CN=Alice");
        assertThat(validator.validate(others.chain(), Part.CLIENT, NOW).dn())
                .isEqualTo("/O=Other/CN=Alice");
        assertThatThrownBy(() -> validator.validate(bad.chain(), Part.CLIENT, NOW))
                .isInstanceOf(CertificateException.class)
                .hasMessageContaining("namespaces");

        Files.writeString(trust.resolve("Site.namespaces"), "PERMIT everything\n");
        ChainValidator without =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT));
        assertThatThrownBy(() -> without.validate(good.chain(), Part.CLIENT, NOW))
                .hasMessageContaining("not issued by a trusted authority");
        assertThat(without.validate(others.chain(), Part.CLIENT, NOW).dn())
                .isEqualTo("/O=Other/CN=Alice");
    }
}
