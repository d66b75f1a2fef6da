package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.client.cli.authority.SiteAuthority;
import org.gridfarm.client.cli.doctor.AuthExamination;
import org.gridfarm.client.cli.doctor.Finding;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority.Order;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@code gf auth check} names the one link that is broken, and no other. */
class AuthCheckTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final String SERVER = "/O=Site/OU=metaserver/CN=ms1";
    private static final String ALICE = "/O=Site/CN=alice";

    @TempDir private Path directory;
    private final Loops loops = Loops.start("auth check");
    private SiteAuthority authority;
    private @Nullable RpcServer server;

    @BeforeEach
    void site() throws IOException {
        authority = site("authority", "/O=Site");
        credential(authority, ALICE).save(directory.resolve("alice.pem"));
        Files.writeString(
                directory.resolve("map"),
                MapFile.line(SERVER, "@metaserver") + "\n" + MapFile.line(ALICE, "alice") + "\n");
    }

    @AfterEach
    void close() {
        stopServing();
        loops.close();
    }

    private void stopServing() {
        if (server != null) server.close();
    }

    private SiteAuthority site(String name, String base) {
        return SiteAuthority.create(
                directory.resolve(name), base, false, Duration.ofDays(10), PassPhrase.NONE);
    }

    private static Credential credential(SiteAuthority by, String dn, String... hosts) {
        return by.issue(new Order(dn, List.of(hosts), false, DAY));
    }

    /** What the server trusts and knows, whatever the client does. */
    private void serve(Credential shown, Path trust) {
        GridMap people = GridMap.parse(MapFile.line(ALICE, "alice"), "map");
        TlsContexts tls =
                new TlsContexts(
                        () -> shown,
                        new ChainValidator(TrustStore.load(trust, RevocationPolicy.WHEN_PRESENT)),
                        () -> people,
                        Clock.system(),
                        TlsEngine.JDK);
        server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                new HostPort("127.0.0.1", 0),
                                "metaserver ms1",
                                ChannelSecurity.tls(tls),
                                Services.none()));
    }

    private void serve() {
        serve(credential(authority, SERVER, "127.0.0.1"), authority.certificates());
    }

    private List<Finding> check() throws IOException {
        int port = server == null ? nobody() : server.address().port();
        Path file = directory.resolve("config.toml");
        Files.writeString(
                file,
                """
                metaservers = ["127.0.0.1:%d"]
                tls.credential = "alice.pem"
                tls.trust = "authority/certificates"
                grid.map = "map"
                """
                        .formatted(port));
        return AuthExamination.of(ClientConfig.read(file), List.of());
    }

    private static int nobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The bad links, without the address, and their texts. */
    private List<String> bad() throws IOException {
        return check().stream()
                .filter(finding -> finding.verdict() == Finding.Verdict.BAD)
                .peek(finding -> assertThat(finding.cure()).isNotEmpty())
                .map(finding ->
                        finding.subject().replaceFirst("^127\\S+ ", "") + ": " + finding.text())
                .toList();
    }

    @Test
    void whereAllIsWellEveryLinkIsNamed() throws Exception {
        serve();
        List<Finding> findings = check();
        assertThat(findings.stream().filter(f -> f.verdict() == Finding.Verdict.BAD)).isEmpty();
        assertThat(findings.stream().map(f -> f.subject().replaceFirst("^127\\S+ ", "")))
                .contains(
                        "key file",
                        "dates",
                        "proxy",
                        "trust",
                        "authority",
                        "signing policy",
                        "revocation list",
                        "chain",
                        "map",
                        "account",
                        "reached",
                        "certificate",
                        "role",
                        "host name",
                        "knows you",
                        "clock");
        assertThat(findings).anyMatch(f -> f.text().contains("metaserver ms1 takes you for alice"));
    }

    @Test
    void theOwnKeyMayBeLooseOrMissing() throws Exception {
        Path key = directory.resolve("alice.pem");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(bad()).singleElement().asString().startsWith("key file: ").contains("others");
        Files.delete(key);
        assertThat(bad()).singleElement().asString().startsWith("key file: ").contains("missing");
    }

    @Test
    void anExpiredProxyIsNamedWithItsEnd() throws Exception {
        serve();
        Instant before = Instant.now().minus(Duration.ofMinutes(2));
        ProxyMaker.Options options =
                ProxyMaker.Options.usual().withLifetime(Duration.ofSeconds(60));
        ProxyMaker.make(Credential.load(directory.resolve("alice.pem")), options, before)
                .save(directory.resolve("alice.pem"));
        assertThat(bad()).anyMatch(link -> link.matches("dates: CN=\\d+.* ran out at .*"));
        assertThat(bad()).anyMatch(link -> link.startsWith("knows you: it refuses you"));
        assertThat(bad()).noneMatch(link -> link.startsWith("certificate"));
    }

    @Test
    void anAuthorityThatIsNotTrustedIsNamed() throws Exception {
        serve();
        credential(site("other", "/O=Other"), "/O=Other/CN=alice")
                .save(directory.resolve("alice.pem"));
        assertThat(bad())
                .contains("authority: not trusted here: CN=Authority,O=Other")
                .anyMatch(link -> link.startsWith("knows you: it refuses you"));
    }

    @Test
    void aRevokedCertificateIsSaidToBe() throws Exception {
        serve();
        authority.revoke(ALICE);
        assertThat(bad()).anyMatch(link -> link.startsWith("chain: ") && link.contains("revoked"));
    }

    @Test
    void aNameThatTheMapLacksIsShownAsTheLineToAdd() throws Exception {
        serve();
        Files.writeString(directory.resolve("map"), MapFile.line(SERVER, "@metaserver") + "\n");
        assertThat(bad()).singleElement().asString().contains("does not name " + ALICE);
    }

    @Test
    void aServerOfAnotherHostRoleOrAuthorityIsTold() throws Exception {
        serve(credential(authority, SERVER, "elsewhere.example"), authority.certificates());
        assertThat(bad())
                .singleElement()
                .isEqualTo("host name: its certificate is for elsewhere.example");
        stopServing();
        String mount = "/O=Site/OU=mount/CN=m";
        MapFile.add(directory.resolve("map"), mount, "@mount");
        serve(credential(authority, mount, "127.0.0.1"), authority.certificates());
        assertThat(bad()).singleElement().isEqualTo("role: by the map it is @mount");
        stopServing();
        serve(
                credential(site("third", "/O=Third"), "/O=Third/CN=ms1", "127.0.0.1"),
                authority.certificates());
        assertThat(bad())
                .singleElement()
                .isEqualTo("certificate: not issued by a trusted authority: CN=Authority, O=Third");
    }

    @Test
    void aServerThatIsNotThereIsTold() throws Exception {
        assertThat(bad()).singleElement().asString().startsWith("reached: ");
    }
}
