package org.gridfarm.protocol.auth.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Our files against OpenSSL's reading of them and the other way round. */
class CredentialFilesTest {
    @TempDir private Path directory;
    private final Instant now = Instant.now();
    private final CertificateAuthority authority =
            CertificateAuthority.create("/C=DE/O=Grid/CN=CA", now);

    CredentialFilesTest() throws Exception {}

    @BeforeAll
    static void opensslIsThere() throws Exception {
        assertThat(new ProcessBuilder("openssl", "version").start().waitFor())
                .as("openssl")
                .isZero();
    }

    private String openssl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + out;
    }

    private String verifiedByOpenssl(Credential credential, String... options) throws Exception {
        credential.save(directory.resolve("whole.pem"));
        StringBuilder above = new StringBuilder();
        for (var certificate : credential.chain().subList(1, credential.chain().size())) {
            above.append(Pem.text(certificate));
        }
        Files.writeString(directory.resolve("above.pem"), above);
        Files.writeString(directory.resolve("root.pem"), authority.certificatePem());
        List<String> arguments =
                new ArrayList<>(List.of("verify", "-x509_strict", "-CAfile", "root.pem"));
        if (credential.chain().size() > 1) {
            arguments.addAll(List.of("-untrusted", "above.pem"));
        }
        arguments.addAll(List.of(options));
        arguments.add("whole.pem");
        return openssl(arguments.toArray(String[]::new));
    }

    @Test
    void opensslAcceptsWhatWeIssue() throws Exception {
        CertificateAuthority below = authority.issueAuthority("/C=DE/O=Grid/CN=Sub", now);
        Credential host =
                below.issueHost("/O=Grid/CN=n1", List.of("n1.example", "127.0.0.1", "::1"), now);
        assertThat(verifiedByOpenssl(host, "-purpose", "sslserver", "-verify_ip", "127.0.0.1"))
                .startsWith("0 ");
        assertThat(verifiedByOpenssl(host, "-verify_hostname", "n1.example")).startsWith("0 ");
        assertThat(verifiedByOpenssl(host, "-verify_hostname", "n2.example")).startsWith("2 ");
        assertThat(HostNames.cover(host.certificate(), "::1")).isTrue();
        assertThat(HostNames.cover(host.certificate(), "0:0:0:0:0:0:0:1")).isTrue();
        assertThat(HostNames.cover(host.certificate(), "n1.example.org")).isFalse();
        Credential user = authority.issueUser("/O=Grid/CN=Jürgen", now);
        assertThat(verifiedByOpenssl(user, "-purpose", "sslclient")).startsWith("0 ");
    }

    @Test
    void opensslAcceptsOurProxiesInEveryMixOfKeysAndOnlyAsProxies() throws Exception {
        for (ProxyMaker.KeyKind first : ProxyMaker.KeyKind.values()) {
            for (ProxyMaker.KeyKind second : ProxyMaker.KeyKind.values()) {
                Credential user = authority.issueUser("/O=Grid/CN=Alice", now);
                ProxyMaker.Options options = ProxyMaker.Options.usual().withKey(first);
                Credential one = ProxyMaker.make(user, options.withPathLength(1), now);
                Credential two =
                        ProxyMaker.make(
                                one, options.withKey(second).asLimited().withPathLength(0), now);
                assertThat(verifiedByOpenssl(two, "-allow_proxy_certs")).startsWith("0 ");
                assertThat(verifiedByOpenssl(two)).startsWith("2 ");
            }
        }
        Credential one =
                ProxyMaker.make(
                        authority.issueUser("/O=Grid/CN=A", now), ProxyMaker.Options.usual(), now);
        one.save(directory.resolve("proxy.pem"));
        assertThat(openssl("x509", "-in", "proxy.pem", "-noout", "-text"))
                .contains("Proxy Certificate Information: critical")
                .contains("Inherit all");
    }

    @Test
    void keysOfOpensslInAllTheirFormsAreRead() throws Exception {
        openssl(
                "ecparam",
                "-name",
                "prime256v1",
                "-genkey",
                "-out",
                "sec1.pem"); // with EC PARAMETERS before it
        openssl("genrsa", "-traditional", "-out", "pkcs1.pem", "2048");
        openssl("pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-out", "ec8.pem");
        openssl("pkcs8", "-topk8", "-nocrypt", "-in", "pkcs1.pem", "-out", "rsa8.pem");
        PrivateKey ec = key("sec1.pem");
        assertThat(ec.getAlgorithm()).isEqualTo("EC");
        assertThat(((java.security.interfaces.ECPrivateKey) key("ec8.pem")).getS())
                .isEqualTo(((java.security.interfaces.ECPrivateKey) ec).getS());
        assertThat(key("rsa8.pem")).isEqualTo(key("pkcs1.pem"));

        openssl(
                "rsa",
                "-traditional",
                "-aes128",
                "-passout",
                "pass:x",
                "-in",
                "pkcs1.pem",
                "-out",
                "locked1.pem");
        openssl("pkcs8", "-topk8", "-passout", "pass:x", "-in", "pkcs1.pem", "-out", "locked8.pem");
        for (String locked : List.of("locked1.pem", "locked8.pem")) {
            assertThatExceptionOfType(java.security.spec.InvalidKeySpecException.class)
                    .isThrownBy(() -> key(locked))
                    .withMessageContaining("encrypted");
        }
    }

    private PrivateKey key(String file) throws Exception {
        return Pem.privateKey(Files.readString(directory.resolve(file))).orElseThrow();
    }

    @Test
    void aCredentialComesBackFromItsFileAndOnlyItsOwnerMayReadIt() throws Exception {
        Path file = directory.resolve("x509up");
        Credential proxy =
                ProxyMaker.make(
                        authority.issueUser("/O=Grid/CN=A", now), ProxyMaker.Options.usual(), now);
        proxy.save(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Credential.load(file)).isEqualTo(proxy);
        assertThat(proxy.toString()).doesNotContain("PRIVATE").contains("CN=A");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> Credential.load(file))
                .matches(e -> e.kind() == ErrorKind.NOT_PERMITTED)
                .withMessageContaining("chmod 600");
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> Credential.load(directory.resolve("absent")))
                .matches(e -> e.kind() == ErrorKind.NOT_FOUND);
    }

    @Test
    void aKeyMustFitItsCertificate() throws Exception {
        Credential one = authority.issueUser("/O=Grid/CN=A", now);
        Path file = directory.resolve("mixed");
        for (PrivateKey other :
                List.of(
                        authority.issueUser("/CN=B", now).key(),
                        Algorithms.newRsaKeys(2048).getPrivate())) {
            new Credential(one.chain(), other).save(file);
            assertThatExceptionOfType(FarmException.class)
                    .isThrownBy(() -> Credential.load(file))
                    .withMessageContaining("does not belong");
        }
    }

    @Test
    void anAuthorityComesBackFromItsDirectoryWhichIsATrustDirectoryToo() throws Exception {
        authority.save(directory.resolve("ca"));
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(directory.resolve("ca/ca.key"))))
                .isEqualTo("rw-------");
        CertificateAuthority again = CertificateAuthority.load(directory.resolve("ca"));
        Credential user = again.issueUser("/O=Grid/CN=A", now);

        Path trust = Files.createDirectory(directory.resolve("certificates"));
        Files.writeString(trust.resolve("0123abcd.0"), authority.certificatePem());
        Files.writeString(trust.resolve("89ef0123.0"), authority.certificatePem());
        for (Path place : List.of(trust, directory.resolve("ca/ca.pem"), directory.resolve("ca"))) {
            ChainValidator judge =
                    new ChainValidator(TrustStore.load(place, RevocationPolicy.WHEN_PRESENT));
            assertThat(judge.validate(user.chain(), Part.CLIENT, now).dn())
                    .isEqualTo("/O=Grid/CN=A");
        }

        Files.write(
                trust.resolve("0123abcd.r0"),
                RevocationLists.of(again, now, now.plus(Duration.ofHours(1)), user.certificate())
                        .getEncoded());
        ChainValidator judge =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.REQUIRED));
        assertThatExceptionOfType(java.security.cert.CertificateException.class)
                .isThrownBy(() -> judge.validate(user.chain(), Part.CLIENT, now))
                .withMessageContaining("revoked");
    }

    private static final String BROKEN =
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

    @Test
    void aFileThatCannotBeReadTakesTheTrustFromItsOwnAuthorityAlone(@TempDir Path trust)
            throws Exception {
        Instant now = Instant.now();
        CertificateAuthority first = CertificateAuthority.create("/O=First/CN=CA", now);
        CertificateAuthority second = CertificateAuthority.create("/O=Second/CN=CA", now);
        Files.writeString(trust.resolve("11111111.0"), first.certificatePem());
        Files.writeString(trust.resolve("first.pem"), first.certificatePem());
        Files.writeString(trust.resolve("22222222.0"), second.certificatePem());
        Files.writeString(trust.resolve("broken.pem"), BROKEN);
        assertThat(accepts(trust, first, now)).as("another file is broken").isTrue();
        for (String bad : List.of("11111111.r0", "11111111.signing_policy")) {
            Files.writeString(trust.resolve(bad), "nonsense");
            assertThat(accepts(trust, first, now)).as(bad).isFalse();
            assertThat(accepts(trust, second, now)).as(bad + ", another authority").isTrue();
            Files.delete(trust.resolve(bad));
        }
        Files.writeString(trust.resolve("33333333.r0"), "nonsense");
        assertThatExceptionOfType(FarmException.class)
                .as("a list of nobody knows whom")
                .isThrownBy(() -> TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT))
                .withMessageContaining("33333333.r0");
        Files.delete(trust.resolve("33333333.r0"));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() ->
                        TrustStore.load(trust.resolve("broken.pem"), RevocationPolicy.WHEN_PRESENT))
                .withMessageContaining("broken.pem");
    }

    private static boolean accepts(Path trust, CertificateAuthority by, Instant now)
            throws Exception {
        Credential user = by.issueUser("/O=Grid/CN=A", now);
        ChainValidator judge =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT));
        try {
            judge.validate(user.chain(), Part.CLIENT, now);
            return true;
        } catch (java.security.cert.CertificateException e) {
            return false;
        }
    }

    @Test
    void anAuthorityGivesTheNamesThatItsSigningPolicySays(@TempDir Path trust) throws Exception {
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("/O=Grid/CN=CA", now);
        Files.writeString(trust.resolve("11111111.0"), authority.certificatePem());
        Files.writeString(
                trust.resolve("11111111.signing_policy"),
                """
                # EACL entry
                access_id_CA      X509         '/O=Grid/CN=CA'
                pos_rights        globus        CA:sign
                cond_subjects     globus     '"/O=Grid/OU=Users/*" "/O=Grid/Email=root@*"'
                """);
        ChainValidator judge =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT));
        for (String name : List.of("/O=Grid/OU=Users/CN=A", "/O=Grid/emailAddress=root@site")) {
            Credential user = authority.issueUser(name, now);
            assertThat(judge.validate(user.chain(), Part.CLIENT, now).dn()).isEqualTo(name);
        }
        for (String name :
                List.of("/O=Other/CN=A", "/O=Grid/OU=User/CN=A", "/O=Grid/CN=metaserver")) {
            Credential user = authority.issueUser(name, now);
            assertThatExceptionOfType(java.security.cert.CertificateException.class)
                    .isThrownBy(() -> judge.validate(user.chain(), Part.CLIENT, now))
                    .withMessageContaining("does not permit the name " + name);
        }
    }

    @Test
    void aProxyThatAnotherUserHasPutThereIsNotTaken(@TempDir Path directory) throws Exception {
        Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Path file = ProxyFile.in(directory);
        assertThat(file).isEqualTo(directory.resolve("x509up_u" + uid));
        ProxyFile.requireOwn(file, directory); // none there
        Files.createFile(file);
        ProxyFile.requireOwn(file, directory);
        assumeThat(uid).as("only root gives files away").isEqualTo(0);
        Files.setAttribute(file, "unix:uid", 1234);
        ProxyFile.requireOwn(file, Path.of("/elsewhere"));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> ProxyFile.requireOwn(file, directory))
                .withMessageContaining("it belongs to another user");
    }
}
