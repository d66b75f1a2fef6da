package org.gridfarm.protocol.auth.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslHandler;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Real sockets, both engines in every pairing. */
class TlsContextsTest {
    private static final String PAIRS = "JDK,JDK\nJDK,NATIVE\nNATIVE,JDK\nNATIVE,NATIVE";
    private static final GridMap MAP =
            GridMap.parse(
                    """
                    "/O=Grid/CN=Alice" alice
                    "/O=Grid/CN=n1" @node:n1
                    """,
                    "map");

    private final Instant now = Instant.now();
    private final CertificateAuthority authority =
            CertificateAuthority.create("/O=Grid/CN=CA", now);
    private final ChainValidator validator =
            new ChainValidator(TrustStore.of(authority.certificate()));
    private final Credential host =
            authority.issueHost("/O=Grid/CN=n1", List.of("n1.example", "127.0.0.1"), now);
    private final Credential alice = authority.issueUser("/O=Grid/CN=Alice", now);

    TlsContextsTest() throws Exception {}

    private TlsContexts contexts(Credential credential, TlsEngine engine) {
        return contexts(() -> credential, () -> MAP, Clock.system(), engine);
    }

    private TlsContexts contexts(
            Supplier<Credential> credential, Current<GridMap> map, Clock clock, TlsEngine engine) {
        return new TlsContexts(credential, validator, map, clock, engine);
    }

    private String greeting(Line line, Credential client, TlsEngine engine) throws Exception {
        return line.greeting(contexts(client, engine), ExpectedPeer.host(Line.HOST)).text();
    }

    @Test
    void theNativeEngineIsThere() {
        assertThat(OpenSsl.isAvailable()).as("%s", OpenSsl.unavailabilityCause()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void usersHostsAndProxiesAreKnownByTheirNames(TlsEngine serverEngine, TlsEngine clientEngine)
            throws Exception {
        ProxyMaker.Options usual = ProxyMaker.Options.usual();
        Credential proxy = ProxyMaker.make(alice, usual, now);
        Credential limited =
                ProxyMaker.make(proxy, usual.asLimited().withKey(ProxyMaker.KeyKind.RSA_2048), now);
        try (Line line = new Line(contexts(host, serverEngine))) {
            assertThat(greeting(line, alice, clientEngine))
                    .isEqualTo("welcome alice /O=Grid/CN=Alice");
            assertThat(greeting(line, proxy, clientEngine))
                    .isEqualTo("welcome alice /O=Grid/CN=Alice (full proxy, depth 1)");
            assertThat(greeting(line, limited, clientEngine))
                    .isEqualTo("welcome alice (limited) /O=Grid/CN=Alice (limited proxy, depth 2)");
            assertThat(greeting(line, host, clientEngine))
                    .isEqualTo("welcome @node:n1 /O=Grid/CN=n1");
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void strangersAreRefused(TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        CertificateAuthority other = CertificateAuthority.create("/O=Grid/CN=CA", now);
        Credential stolen =
                new Credential(alice.chain(), other.issueUser("/O=Grid/CN=Alice", now).key());
        Instant yesterday = now.minus(Duration.ofDays(1));
        Credential expired =
                ProxyMaker.make(
                        authority.issueUser("/O=Grid/CN=Alice", yesterday),
                        ProxyMaker.Options.usual().withLifetime(Duration.ofHours(1)),
                        yesterday);
        try (Line line = new Line(contexts(host, serverEngine))) {
            for (Credential bad :
                    List.of(other.issueUser("/O=Grid/CN=Alice", now), stolen, expired)) {
                assertThatThrownBy(() -> greeting(line, bad, clientEngine))
                        .hasRootCauseInstanceOf(Exception.class);
            }
            Credential unmapped = authority.issueUser("/O=Grid/CN=Mallory", now);
            assertThat(greeting(line, unmapped, clientEngine))
                    .isEqualTo(
                            "refused authenticate /O=Grid/CN=Mallory: not authenticated (not in the grid-mapfile)");
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aServerOtherThanTheExpectedOneIsRefused(TlsEngine serverEngine, TlsEngine clientEngine)
            throws Exception {
        TlsContexts client = contexts(alice, clientEngine);
        try (Line line = new Line(contexts(host, serverEngine))) {
            for (ExpectedPeer good :
                    List.of(
                            ExpectedPeer.host("n1.example"),
                            ExpectedPeer.host("N1.Example."),
                            ExpectedPeer.role(Role.NODE),
                            ExpectedPeer.host(Line.HOST).and(ExpectedPeer.node(new NodeName("n1"))),
                            ExpectedPeer.dn("/O=Grid/CN=n1"))) {
                assertThat(line.greeting(client, good).text()).startsWith("welcome alice");
            }
            for (ExpectedPeer bad :
                    List.of(
                            ExpectedPeer.host("n2.example"),
                            ExpectedPeer.host("127.0.0.2"),
                            ExpectedPeer.role(Role.METASERVER),
                            ExpectedPeer.host(Line.HOST).and(ExpectedPeer.node(new NodeName("n2"))),
                            ExpectedPeer.dn("/O=Grid/CN=n2"))) {
                assertThatThrownBy(() -> line.greeting(client, bad))
                        .hasRootCauseInstanceOf(FarmException.class)
                        .rootCause()
                        .matches(e -> ((FarmException) e).kind() == ErrorKind.NOT_AUTHENTICATED);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aUserOrAProxyIsNoServer(TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        Credential proxyOfHost = ProxyMaker.make(host, ProxyMaker.Options.usual(), now);
        for (Credential pretender : List.of(alice, proxyOfHost)) {
            try (Line line = new Line(contexts(pretender, serverEngine))) {
                assertThatThrownBy(() -> greeting(line, alice, clientEngine))
                        .hasRootCauseInstanceOf(Exception.class);
            }
        }
    }

    /**
     * The same client comes back, so that its session may be resumed, with a credential that ran
     * out in between.
     */
    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aSessionDoesNotOutliveItsProxy(TlsEngine serverEngine, TlsEngine clientEngine)
            throws Exception {
        SimClock clock = new SimClock(now);
        Credential proxy =
                ProxyMaker.make(
                        alice, ProxyMaker.Options.usual().withLifetime(Duration.ofMinutes(2)), now);
        TlsContexts client = contexts(proxy, clientEngine);
        try (Line line = new Line(contexts(() -> host, () -> MAP, clock, serverEngine))) {
            ExpectedPeer expected = ExpectedPeer.host(Line.HOST);
            assertThat(line.greeting(client, expected).text()).startsWith("welcome alice");
            assertThat(line.greeting(client, expected).text()).startsWith("welcome alice");
            clock.advance(Duration.ofMinutes(3));
            String said;
            try {
                said = line.greeting(client, expected).text();
            } catch (java.util.concurrent.ExecutionException e) {
                said = "refused " + e.getCause(); // not resumed: the handshake itself failed
            }
            assertThat(said).startsWith("refused");
        }
    }

    @Test
    void anOpenConnectionEndsWithItsProxy() throws Exception {
        Credential proxy =
                ProxyMaker.make(
                        alice,
                        ProxyMaker.Options.usual().withLifetime(Duration.ofSeconds(4)),
                        Instant.now());
        try (Line line = new Line(contexts(host, TlsEngine.AUTOMATIC))) {
            Line.Greeted greeted =
                    line.greeting(
                            contexts(proxy, TlsEngine.AUTOMATIC), ExpectedPeer.host(Line.HOST));
            assertThat(greeted.text()).startsWith("welcome alice");
            assertThat(greeted.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(Instant.now()).isAfter(proxy.notAfter());
        }
    }

    /** The clock stands just before the proxy runs out: then the peer is judged again and again. */
    @Test
    void aPeerThatCannotBeJudgedAgainIsNoPeerAnyMore() throws Exception {
        Credential proxy = ProxyMaker.make(alice, ProxyMaker.Options.usual(), now);
        SimClock clock = new SimClock(proxy.notAfter().minusMillis(50));
        AtomicBoolean broken = new AtomicBoolean();
        Current<GridMap> map =
                () -> {
                    if (broken.get()) throw new IllegalStateException("a defect");
                    return MAP;
                };
        try (Line line = new Line(contexts(() -> host, map, clock, TlsEngine.AUTOMATIC))) {
            Line.Greeted greeted =
                    line.greeting(
                            contexts(() -> proxy, () -> MAP, clock, TlsEngine.AUTOMATIC),
                            ExpectedPeer.host(Line.HOST));
            assertThat(greeted.text()).startsWith("welcome alice");
            assertThat(greeted.channel().closeFuture().await(300, TimeUnit.MILLISECONDS)).isFalse();
            broken.set(true);
            assertThat(greeted.channel().closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aRenewedCredentialIsShownFromTheNextConnectionOn(
            TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        AtomicReference<Credential> mine = new AtomicReference<>(alice);
        TlsContexts client = contexts(mine::get, () -> MAP, Clock.system(), clientEngine);
        try (Line line = new Line(contexts(host, serverEngine))) {
            assertThat(line.greeting(client, ExpectedPeer.host(Line.HOST)).text())
                    .startsWith("welcome alice");
            ProxyMaker.Options rsa =
                    ProxyMaker.Options.usual().withKey(ProxyMaker.KeyKind.RSA_2048);
            mine.set(ProxyMaker.make(alice, rsa, now));
            assertThat(line.greeting(client, ExpectedPeer.host(Line.HOST)).text())
                    .as("nor is a session of before resumed")
                    .endsWith("depth 1)");
        }
    }

    /** A server whose certificate was replaced in time, and a client that was there before. */
    @ParameterizedTest
    @CsvSource(textBlock = PAIRS)
    void aRenewedServerIsTakenWhenItsFormerCertificateHasExpired(
            TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        SimClock clock = new SimClock(now);
        List<String> names = List.of("n1.example", "127.0.0.1");
        AtomicReference<Credential> its =
                new AtomicReference<>(
                        authority.issue(
                                new CertificateAuthority.Order(
                                        "/O=Grid/CN=n1", names, false, Duration.ofMinutes(4)),
                                now));
        TlsContexts client = contexts(() -> alice, () -> MAP, clock, clientEngine);
        try (Line line = new Line(contexts(its::get, () -> MAP, Clock.system(), serverEngine))) {
            ExpectedPeer expected = ExpectedPeer.host(Line.HOST);
            assertThat(line.greeting(client, expected).text()).startsWith("welcome alice");
            its.set(host);
            assertThat(line.greeting(client, expected).text()).startsWith("welcome alice");
            clock.advance(Duration.ofMinutes(5));
            assertThat(line.greeting(client, expected).text()).startsWith("welcome alice");
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void nothingBelowTls13IsSpokenAndNobodyComesWithoutACertificate(TlsEngine engine)
            throws Exception {
        try (Line line = new Line(contexts(host, engine))) {
            SSLContext lax = SSLContext.getInstance("TLS");
            lax.init(
                    null,
                    new javax.net.ssl.TrustManager[] {
                        new ChainTrustManager(validator, Clock.system())
                    },
                    null);
            for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
                try (var socket =
                        (javax.net.ssl.SSLSocket)
                                lax.getSocketFactory().createSocket(Line.HOST, line.port())) {
                    socket.setSoTimeout(20_000);
                    socket.setEnabledProtocols(new String[] {protocol});
                    assertThatThrownBy(
                                    () -> {
                                        socket.startHandshake();
                                        socket.getInputStream()
                                                .read(); // the refusal of a TLS 1.3 client comes
                                        // here
                                    })
                            .isInstanceOfAny(SSLException.class, java.net.SocketException.class);
                }
            }
        }
    }

    @Test
    void identitiesAreReadFromASessionAsOfNow() throws Exception {
        TlsContexts server = contexts(host, TlsEngine.JDK);
        try (Line line = new Line(server)) {
            Line.Greeted greeted =
                    line.greeting(contexts(alice, TlsEngine.JDK), ExpectedPeer.host(Line.HOST));
            SslHandler handler = greeted.channel().pipeline().get(SslHandler.class);
            AuthenticatedPeer peer =
                    server.peerOf(handler.engine().getSession(), ChainValidator.Part.SERVER);
            assertThat(peer.identity().node()).contains(new NodeName("n1"));
            assertThat(greeted.channel().attr(TlsContexts.PEER).get()).isEqualTo(peer);
            assertThat(OptionalInt.of(peer.chain().depth())).hasValue(0);
        }
    }
}
