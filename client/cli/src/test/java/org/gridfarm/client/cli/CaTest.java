package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code gf ca} as people call it, and what others make of its files. */
class CaTest {
    @TempDir private Path directory;
    private final InputStream stdin = System.in;
    private final PrintStream stdout = System.out;
    private final PrintStream stderr = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path authority;

    @BeforeEach
    void listen() {
        authority = directory.resolve("authority");
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void stopListening() {
        System.setIn(stdin);
        System.setOut(stdout);
        System.setErr(stderr);
    }

    /** Exit status. {@code @} in front of a word stands for the test's directory. */
    private int gf(String... words) {
        out.reset();
        err.reset();
        return Gf.run(
                "gf",
                Arrays.stream(words)
                        .map(word -> word.replaceFirst("^@", directory + "/"))
                        .toArray(String[]::new));
    }

    private int ca(String... words) {
        return gf(
                Stream.of(new String[] {"ca"}, words, new String[] {"--dir", "@authority"})
                        .flatMap(Arrays::stream)
                        .toArray(String[]::new));
    }

    private void type(String lines) {
        System.setIn(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
    }

    private String run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        Path said = directory.resolve("said");
        Process process = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() + " " + Files.readString(said);
    }

    private String openssl(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(words));
        return run(Map.of(), command.toArray(String[]::new));
    }

    private String verify(String file, String... more) throws Exception {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "verify",
                                "-x509_strict",
                                "-CApath",
                                "authority/certificates",
                                "-crl_check"));
        words.addAll(List.of(more));
        words.add(file);
        return openssl(words.toArray(String[]::new));
    }

    private ChainValidator farm() {
        return new ChainValidator(
                TrustStore.load(authority.resolve("certificates"), RevocationPolicy.REQUIRED));
    }

    private String dn(Credential credential) throws CertificateException {
        return farm().validate(credential.chain(), ChainValidator.Part.CLIENT, Instant.now()).dn();
    }

    private String mode(String file) throws Exception {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(directory.resolve(file)));
    }

    @Test
    void aFarmIsIssuedWhatItNeedsAndEverybodyFindsItGood() throws Exception {
        assertThat(ca("init", "/O=Site")).isZero();
        assertThat(mode("authority")).isEqualTo("rwx------");
        assertThat(mode("authority/ca.key")).isEqualTo("rw-------");
        String map = directory + "/grid-mapfile";
        for (String kind : List.of("metaserver", "scheduler")) {
            assertThat(
                            ca(
                                    "issue",
                                    kind,
                                    "h.example",
                                    "10.0.0.7",
                                    "--out",
                                    "@" + kind,
                                    "--map",
                                    map))
                    .isZero();
            assertThat(verify(kind + ".pem", "-purpose", "sslserver", "-verify_ip", "10.0.0.7"))
                    .startsWith("0 ");
            assertThat(verify(kind + ".pem", "-verify_hostname", "x.example")).startsWith("2 ");
            assertThat(mode(kind + ".key")).isEqualTo("rw-------");
        }
        ca("issue", "node", "n1", "h.example", "--out", "@n1", "--map", map);
        ca("issue", "mount", "h.example", "--out", "@mount", "--root", "--map", map);
        ca("issue", "admin", "carol", "--name", "Carol \"C\" Müller", "--out", "@c", "--map", map);
        ca("issue", "user", "alice,astro", "--out", "@alice", "--map", map);
        assertThat(ca("issue", "service", "postgres", "db.example", "--out", "@db")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(mode("authority/index.txt")).isEqualTo("rw-------");
        assertThat(mode("mount.pem")).isEqualTo("rw-------");
        assertThat(directory.resolve("mount.key")).doesNotExist();

        GridMap people = GridMap.load(Path.of(map));
        assertThat(people.size()).isEqualTo(6);
        Credential mount = Credential.load(directory.resolve("mount.pem"));
        assertThat(people.lookUp(dn(mount)).orElseThrow().root()).isTrue();
        Credential alice =
                Credential.load(directory.resolve("alice.pem"), directory.resolve("alice.key"));
        assertThat(people.lookUp(dn(alice)).orElseThrow().users())
                .containsExactly("alice", "astro");
        Credential carol = Credential.load(directory.resolve("c.pem"), directory.resolve("c.key"));
        assertThat(people.lookUp(dn(carol)).orElseThrow().role()).isEqualTo(Role.ADMIN);
        Credential node = Credential.load(directory.resolve("n1.pem"), directory.resolve("n1.key"));
        assertThat(people.lookUp(dn(node)).orElseThrow().node().orElseThrow().toString())
                .isEqualTo("n1");

        assertThat(ca("list")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(8);
    }

    @Test
    void whoIsRevokedIsKnownByTheListAndOthersAreNotTouched() throws Exception {
        ca("init", "/O=Site");
        ca("issue", "user", "alice", "--out", "@alice");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("\"/O=Site/CN=alice\" alice\n");
        ca("issue", "user", "bob", "--out", "@bob");
        Credential alice =
                Credential.load(directory.resolve("alice.pem"), directory.resolve("alice.key"));
        assertThat(dn(alice)).isEqualTo("/O=Site/CN=alice");

        assertThat(ca("revoke", "/O=Site/CN=alice")).isZero();
        assertThatExceptionOfType(CertificateException.class)
                .isThrownBy(() -> dn(alice))
                .withMessageContaining("revoked");
        assertThat(verify("alice.pem")).startsWith("2 ").contains("certificate revoked");
        assertThat(verify("bob.pem")).startsWith("0 ");
        String hash = openssl("x509", "-in", "authority/ca.pem", "-noout", "-hash");
        String list = "authority/certificates/" + hash.substring(2).strip() + ".r0";
        assertThat(openssl("crl", "-in", list, "-CAfile", "authority/ca.pem", "-noout"))
                .contains("verify OK");
        assertThat(openssl("crl", "-in", list, "-noout", "-text"))
                .contains(
                        "Serial Number: "
                                + alice.certificate()
                                        .getSerialNumber()
                                        .toString(16)
                                        .toUpperCase(java.util.Locale.ROOT));

        assertThat(ca("revoke", "/O=Site/CN=alice")).as("once is enough").isEqualTo(66);
        assertThat(ca("renew", "@alice.pem")).as("of a revoked one").isEqualTo(64);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("revoked").hasLineCount(1);
        Files.delete(authority.resolve("index.txt"));
        assertThat(ca("revoke", "@bob.pem")).as("not in the register").isZero();
        assertThat(verify("bob.pem")).startsWith("2 ").contains("certificate revoked");
        assertThat(ca("issue", "user", "alice", "--out", "@again")).isZero();
        assertThat(
                        dn(
                                Credential.load(
                                        directory.resolve("again.pem"),
                                        directory.resolve("again.key"))))
                .isEqualTo("/O=Site/CN=alice");
    }

    @Test
    void aRenewedCertificateIsWhatTheOldOneWasUnderANewKey() throws Exception {
        ca("init", "/O=Site");
        ca("issue", "metaserver", "h.example", "::1", "--out", "@meta", "--days", "1");
        Credential old =
                Credential.load(directory.resolve("meta.pem"), directory.resolve("meta.key"));
        assertThat(ca("renew", "@meta.pem")).isZero();
        Credential later =
                Credential.load(directory.resolve("meta.pem"), directory.resolve("meta.key"));
        assertThat(later.notAfter()).isAfter(old.notAfter());
        assertThat(later.key()).isNotEqualTo(old.key());
        assertThat(dn(later)).isEqualTo(dn(old));
        assertThat(later.certificate().getSubjectAlternativeNames())
                .containsExactlyElementsOf(old.certificate().getSubjectAlternativeNames());
        assertThat(verify("meta.pem", "-purpose", "sslserver", "-verify_ip", "::1"))
                .startsWith("0 ");

        String before = Files.readString(authority.resolve("ca.pem"));
        assertThat(ca("renew", "--authority", "--days", "5000")).isZero();
        assertThat(Files.readString(authority.resolve("ca.pem"))).isNotEqualTo(before);
        assertThat(verify("meta.pem")).startsWith("0 ");
        assertThat(dn(later)).isEqualTo(dn(old));
    }

    @Test
    void keysUnderAPassPhraseOpenWithItAlone() throws Exception {
        type("secret1\n");
        assertThat(ca("init", "/O=Site", "--encrypt", "--password-stdin")).isZero();
        assertThat(Files.readString(authority.resolve("ca.key"))).contains("ENCRYPTED");
        type("wrong\n");
        assertThat(ca("issue", "user", "a", "--out", "@a", "--password-stdin")).isEqualTo(64);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("wrong pass phrase")
                .hasLineCount(1);
        assertThat(directory.resolve("a.key")).doesNotExist();
        type("secret1\nsecret2\n");
        assertThat(ca("issue", "user", "a", "--out", "@a", "--encrypt", "--password-stdin"))
                .isZero();
        assertThat(Files.readString(directory.resolve("a.key"))).contains("ENCRYPTED");

        for (String phrase : List.of("secret1", "secret2")) {
            type(phrase + "\n");
            assertThat(
                            gf(
                                    "proxy",
                                    "init",
                                    "--cert",
                                    "@a.pem",
                                    "--key",
                                    "@a.key",
                                    "--out",
                                    "@proxy",
                                    "--pwstdin"))
                    .isEqualTo(phrase.equals("secret2") ? 0 : 64);
        }
        assertThat(dn(Credential.load(directory.resolve("proxy")))).isEqualTo("/O=Site/CN=a");
    }

    @Test
    void whatCannotBeIssuedIsSaidInOneLineAndNothingIsWritten() throws Exception {
        assertThat(ca("issue", "user", "a", "--out", "@a")).as("no authority").isEqualTo(66);
        assertThat(ca("init", "Site")).isEqualTo(64);
        ca("init", "/O=Site");
        assertThat(ca("init", "/O=Site")).as("another").isEqualTo(73);
        Path map = Files.writeString(directory.resolve("map"), "\"/O=Site/CN=b\" bob\n");
        ca("issue", "user", "taken", "--out", "@taken");
        for (List<String> bad :
                List.of(
                        List.of("user", "a b"),
                        List.of("user", "root:x"),
                        List.of("user", "a", "b"),
                        List.of("user", "a", "--name", "x/OU=y"),
                        List.of("user", "b", "--map", map.toString()),
                        List.of("user", "a", "--days", "0"),
                        List.of("user", "a", "--root"),
                        List.of("user", "taken", "--out", "@taken"),
                        List.of("node", "n1"),
                        List.of("metaserver", "a b"),
                        List.of("emperor", "a"))) {
            List<String> words = new ArrayList<>(List.of("issue"));
            words.addAll(bad);
            if (!bad.contains("--out")) words.addAll(List.of("--out", "@a"));
            assertThat(ca(words.toArray(String[]::new))).as(bad.toString()).isIn(64, 73);
            assertThat(err.toString(StandardCharsets.UTF_8)).as(bad.toString()).hasLineCount(1);
        }
        assertThat(directory.resolve("a.pem")).doesNotExist();
        assertThat(directory.resolve("a.key")).doesNotExist();
        assertThat(Files.readAllLines(authority.resolve("index.txt"))).hasSize(1);
    }

    @Test
    void theToolsOfGridsWorkWithIt() throws Exception {
        assumeThat(Files.isExecutable(Path.of("/usr/bin/grid-proxy-init")))
                .as("grid-proxy-init (Debian: globus-proxy-utils)")
                .isTrue();
        ca("init", "/DC=org/DC=Site", "--rsa");
        type("secret2\n");
        ca("issue", "user", "alice", "--rsa", "--encrypt", "--password-stdin", "--out", "@alice");
        Files.writeString(directory.resolve("phrase"), "secret2\n");
        Map<String, String> grid =
                Map.of("X509_CERT_DIR", authority.resolve("certificates").toString());
        String theirs =
                "grid-proxy-init -verify -cert alice.pem -key alice.key -pwstdin -out theirs <"
                        + " phrase";
        assertThat(run(grid, "sh", "-c", theirs)).startsWith("0 ").contains("Proxy Verify OK");
        assertThat(dn(Credential.load(directory.resolve("theirs"))))
                .isEqualTo("/DC=org/DC=Site/CN=alice");

        type("secret2\n");
        gf(
                "proxy",
                "init",
                "--cert",
                "@alice.pem",
                "--key",
                "@alice.key",
                "--pwstdin",
                "--limited",
                "--rsa",
                "--out",
                "@ours");
        assertThat(run(grid, "grid-proxy-info", "-file", "ours"))
                .startsWith("0 ")
                .contains("identity : /DC=org/DC=Site/CN=alice")
                .contains("RFC 3820 compliant limited proxy");
    }

    @Test
    void theProxiesOfVomsAreTaken() throws Exception {
        assumeThat(Files.isExecutable(Path.of("/usr/bin/voms-proxy-init")))
                .as("voms-proxy-init (Debian: voms-clients)")
                .isTrue();
        ca("init", "/DC=org/DC=Site", "--rsa");
        ca("issue", "user", "alice", "--rsa", "--out", "@alice");
        Path trust = authority.resolve("certificates");
        ChainValidator ours =
                new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT));
        String make =
                "voms-proxy-init -rfc -bits 2048 -verify -cert alice.pem -key alice.key -out theirs";
        for (String more : List.of("", " -limited")) {
            assertThat(run(Map.of("X509_CERT_DIR", trust.toString()), "sh", "-c", make + more))
                    .startsWith("0 ")
                    .contains("verify OK");
            Credential theirs = Credential.load(directory.resolve("theirs"));
            AuthenticatedChain chain =
                    ours.validate(
                            theirs.chain(),
                            ChainValidator.Part.CLIENT,
                            theirs.certificate().getNotBefore().toInstant().plusSeconds(600));
            assertThat(chain.dn()).isEqualTo("/DC=org/DC=Site/CN=alice");
            assertThat(chain.depth()).isEqualTo(1);
            assertThat(chain.limited()).isEqualTo(!more.isEmpty());
        }
    }
}
