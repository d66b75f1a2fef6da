package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.ECHO;
import static org.gridfarm.protocol.rpc.Loopback.PATIENCE;
import static org.gridfarm.protocol.rpc.Loopback.failure;
import static org.gridfarm.protocol.rpc.Loopback.get;
import static org.gridfarm.protocol.rpc.Loopback.text;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.auth.SharedKeys;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.GuestCertificate;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.KeyProof;
import org.gridfarm.protocol.wire.LogInReply;
import org.gridfarm.protocol.wire.LogInRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Guests, who become somebody by a key or a token. */
class LogInTest {
    private static final String MAP =
            """
            "/O=Test/CN=ms1" @metaserver
            "/O=Test/CN=ms2" @metaserver
            "https://tokens.example t" carol,astro
            """;

    private static final Method<StringValue, StringValue> WHOAMI =
            new Method<>(
                    20,
                    "whoami",
                    StringValue.parser(),
                    StringValue.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE.freeOfScopes());

    private final SharedKeys.Key ann = SharedKeys.Key.make("ann-laptop", "ann");
    private final AtomicReference<SharedKeys> known =
            new AtomicReference<>(SharedKeys.none().with(ann));
    private final AtomicBoolean tokenStands = new AtomicBoolean(true);
    private final LogIns logIns = new LogIns(Optional.of(this::judge), Optional.of(known::get));
    private final CertificateAuthority authority = authority();
    private final Loops loops = Loops.start("test");
    private final List<RpcServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(RpcServer::close);
        loops.close();
    }

    private LogIns.Standing judge(String token) {
        if (!token.equals("good token")) {
            throw new FarmException(ErrorKind.NOT_AUTHENTICATED, "log in", "token", "bad");
        }
        Identity carol =
                GridMap.parse(MAP, "map")
                        .ofToken("https://tokens.example", "t")
                        .orElseThrow()
                        .under(Scopes.parse("storage.read:/", List.of()));
        return new LogIns.Standing() {
            @Override
            public Identity identity() {
                return carol;
            }

            @Override
            public boolean stands() {
                return tokenStands.get();
            }
        };
    }

    private static String whoami(Peer peer) throws Exception {
        return get(peer.callPlain(WHOAMI, text(""), PATIENCE)).getValue();
    }

    @ParameterizedTest
    @CsvSource({"JDK,JDK", "JDK,NATIVE", "NATIVE,JDK", "NATIVE,NATIVE"})
    void whoHasAKeyIsItsAccountOnEveryConnection(TlsEngine ofServer, TlsEngine ofClient)
            throws Exception {
        RpcServer server = serve("ms1", ofServer, true, logIns);
        RpcClient client = client(ofClient, OwnLogIn.byKey(() -> ann));
        for (int connection = 0; connection < 3; connection++) { // later ones may be resumed
            Peer peer = get(client.dial(server.address()));
            assertThat(whoami(peer)).isEqualTo("ann");
            peer.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void whoHasAnotherKeyIsNobody(TlsEngine engine) throws Exception {
        RpcServer server = serve("ms1", engine, true, logIns);
        for (SharedKeys.Key wrong :
                List.of(
                        SharedKeys.Key.make("ann-laptop", "ann"),
                        SharedKeys.Key.make("bob", "ann"))) {
            RpcClient client = client(engine, OwnLogIn.byKey(() -> wrong));
            assertThat(failure(client.dial(server.address())).kind())
                    .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        }
    }

    @Test
    void aTokenIsGoodAndOneOfItsAccountsCanBeNamed() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        RpcClient client = client(TlsEngine.AUTOMATIC, OwnLogIn.byToken(() -> "good token"));
        assertThat(whoami(get(client.dial(server.address())))).isEqualTo("carol");
        assertThat(whoami(get(client.as("astro").dial(server.address())))).isEqualTo("astro");
        assertThat(failure(client.as("root").dial(server.address())).kind())
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        Peer astro = get(client.as("astro").dial(server.address()));
        assertThat(failure(astro.callPlain(ECHO, text(""), PATIENCE)).detail())
                .as("its scopes have come along")
                .contains("a token is good for files alone");
        RpcClient other = client(TlsEngine.AUTOMATIC, OwnLogIn.byToken(() -> "bad token"));
        assertThat(failure(other.dial(server.address())).kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
    }

    @Test
    void aGuestMayLogInOnceAndNothingElse() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        Peer guest = get(client(TlsEngine.AUTOMATIC, null).dial(server.address()));
        assertThat(failure(guest.callPlain(ECHO, text(""), PATIENCE)).kind())
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        LogInRequest bad = LogInRequest.newBuilder().setToken("bad token").build();
        assertThat(failure(guest.callPlain(LogIn.METHOD, bad, PATIENCE)).kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        await().until(() -> !guest.isOpen());
        Peer carol =
                get(
                        client(TlsEngine.AUTOMATIC, OwnLogIn.byToken(() -> "good token"))
                                .dial(server.address()));
        LogInRequest again = LogInRequest.newBuilder().setToken("good token").build();
        assertThat(failure(carol.callPlain(LogIn.METHOD, again, PATIENCE)).kind())
                .isEqualTo(ErrorKind.NOT_PERMITTED); // who is somebody is no guest
    }

    @Test
    void whereGuestsAreNotLetInTheirCertificatesAreRefused() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, false, LogIns.NONE);
        assertThat(
                        failure(
                                        client(TlsEngine.AUTOMATIC, OwnLogIn.byKey(() -> ann))
                                                .dial(server.address()))
                                .kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
    }

    /** A server that nobody trusts hears nothing: neither token nor proof. */
    @Test
    void nothingIsShownToAServerWhoseCertificateIsNotVerified() throws Exception {
        AtomicBoolean shown = new AtomicBoolean();
        CertificateAuthority other = authority();
        Credential false1 = other.issueHost("/O=Test/CN=ms1", List.of("127.0.0.1"), Instant.now());
        RpcServer server = serve(false1, TlsEngine.AUTOMATIC, true, logIns);
        RpcClient client =
                client(
                        TlsEngine.AUTOMATIC,
                        OwnLogIn.byToken(() -> {
                            shown.set(true);
                            return "good token";
                        }));
        assertThat(failure(client.dial(server.address())).kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(shown).isFalse();
    }

    @Test
    void tokensAreForMetaserversAloneAndKeysForSchedulersToo() {
        OwnLogIn token = OwnLogIn.byToken(() -> "");
        OwnLogIn key = OwnLogIn.byKey(() -> ann);
        for (Role role : Role.values()) {
            assertThat(token.isFor(role)).isEqualTo(role == Role.METASERVER);
            assertThat(key.isFor(role))
                    .isEqualTo(role == Role.METASERVER || role == Role.SCHEDULER);
        }
    }

    /** ms2, which the client trusts, passes what it hears on to ms1. */
    @Test
    void aProofIsWorthNothingOnAnotherConnection() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        RpcServer relay = serve("ms2", TlsEngine.AUTOMATIC, true, logIns);
        List<LogInRequest> heard = new ArrayList<>();
        OwnLogIn honest = OwnLogIn.byKey(() -> ann);
        OwnLogIn overheard =
                new OwnLogIn() {
                    @Override
                    public boolean isFor(Role role) {
                        return true;
                    }

                    @Override
                    public LogInRequest request(ChannelBinding binding) {
                        heard.add(honest.request(binding));
                        return heard.get(0);
                    }

                    @Override
                    public void confirm(
                            ChannelBinding binding, LogInRequest sent, LogInReply reply) {}
                };
        assertThat(whoami(get(client(TlsEngine.AUTOMATIC, overheard).dial(relay.address()))))
                .isEqualTo("ann");
        OwnLogIn replayed =
                new OwnLogIn() {
                    @Override
                    public boolean isFor(Role role) {
                        return true;
                    }

                    @Override
                    public LogInRequest request(ChannelBinding binding) {
                        return heard.get(0);
                    }

                    @Override
                    public void confirm(
                            ChannelBinding binding, LogInRequest sent, LogInReply reply) {}
                };
        for (RpcServer there : List.of(server, relay)) {
            assertThat(failure(client(TlsEngine.AUTOMATIC, replayed).dial(there.address())).kind())
                    .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        }
    }

    @Test
    void everyPartOfWhatIsBoundCounts() {
        byte[] nonce = new byte[32];
        ChannelBinding binding = new ChannelBinding(new byte[32], new byte[32], new byte[32]);
        byte[] other = new byte[32];
        other[31] = 1;
        byte[] proof = binding.proof(ChannelBinding.Side.CLIENT, "ann", ann.secret(), nonce);
        List<byte[]> others =
                List.of(
                        binding.proof(ChannelBinding.Side.SERVER, "ann", ann.secret(), nonce),
                        binding.proof(ChannelBinding.Side.CLIENT, "bob", ann.secret(), nonce),
                        binding.proof(ChannelBinding.Side.CLIENT, "ann", other, nonce),
                        binding.proof(ChannelBinding.Side.CLIENT, "ann", ann.secret(), other),
                        new ChannelBinding(other, new byte[32], new byte[32])
                                .proof(ChannelBinding.Side.CLIENT, "ann", ann.secret(), nonce),
                        new ChannelBinding(new byte[32], other, new byte[32])
                                .proof(ChannelBinding.Side.CLIENT, "ann", ann.secret(), nonce),
                        new ChannelBinding(new byte[32], new byte[32], other)
                                .proof(ChannelBinding.Side.CLIENT, "ann", ann.secret(), nonce));
        for (byte[] wrong : others) assertThat(wrong).isNotEqualTo(proof);
    }

    @Test
    void aServerThatDoesNotKnowTheKeyIsFoundOut() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        OwnLogIn own = OwnLogIn.byKey(() -> ann);
        OwnLogIn deceived =
                new OwnLogIn() {
                    @Override
                    public boolean isFor(Role role) {
                        return true;
                    }

                    @Override
                    public LogInRequest request(ChannelBinding binding) {
                        return own.request(binding);
                    }

                    @Override
                    public void confirm(
                            ChannelBinding binding, LogInRequest sent, LogInReply reply) {
                        LogInReply reflected =
                                reply.toBuilder().setProof(sent.getKey().getProof()).build();
                        own.confirm(binding, sent, reflected);
                    }
                };
        FarmException why = failure(client(TlsEngine.AUTOMATIC, deceived).dial(server.address()));
        assertThat(why.detail()).contains("the server does not know the key");
    }

    @Test
    void whatWasLoggedInByEndsAndSoDoesTheConnection() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        Peer byKey =
                get(client(TlsEngine.AUTOMATIC, OwnLogIn.byKey(() -> ann)).dial(server.address()));
        Peer byToken =
                get(
                        client(TlsEngine.AUTOMATIC, OwnLogIn.byToken(() -> "good token"))
                                .dial(server.address()));
        known.set(SharedKeys.none());
        await().until(() -> !byKey.isOpen());
        assertThat(byToken.isOpen()).isTrue();
        tokenStands.set(false);
        await().until(() -> !byToken.isOpen());
    }

    @Test
    void halfAProofIsNone() throws Exception {
        RpcServer server = serve("ms1", TlsEngine.AUTOMATIC, true, logIns);
        List<KeyProof> halves =
                List.of(
                        KeyProof.getDefaultInstance(),
                        KeyProof.newBuilder().setId("ann-laptop").build(),
                        KeyProof.newBuilder()
                                .setId("ann-laptop")
                                .setNonce(ByteString.copyFrom(new byte[32]))
                                .build());
        for (KeyProof half : halves) {
            Peer guest = get(client(TlsEngine.AUTOMATIC, null).dial(server.address()));
            LogInRequest request = LogInRequest.newBuilder().setKey(half).build();
            assertThat(failure(guest.callPlain(LogIn.METHOD, request, PATIENCE)).kind())
                    .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        }
    }

    // ---- machinery

    private RpcServer serve(String name, TlsEngine engine, boolean guests, LogIns by)
            throws GeneralSecurityException {
        Credential host =
                authority.issueHost("/O=Test/CN=" + name, List.of("127.0.0.1"), Instant.now());
        return serve(host, engine, guests, by);
    }

    private RpcServer serve(Credential host, TlsEngine engine, boolean guests, LogIns by)
            throws GeneralSecurityException {
        Handler<StringValue, StringValue> user = x -> x.reply(text(x.peer().identity().user()));
        Services services = Services.builder().on(ECHO, user).on(WHOAMI, user).build();
        RpcServer server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                        new HostPort("127.0.0.1", 0),
                                        "metaserver",
                                        security(host, engine, guests).lettingIn(by),
                                        services)
                                .withKeepAlive(
                                        new KeepAlive(
                                                Duration.ofMillis(100), Duration.ofSeconds(20))));
        servers.add(server);
        return server;
    }

    private RpcClient client(TlsEngine engine, @Nullable OwnLogIn by)
            throws GeneralSecurityException {
        ChannelSecurity security = security(GuestCertificate.make(Instant.now()), engine, false);
        return new RpcClient(
                loops, by == null ? security : security.loggingIn(by), ExpectedServer.metaserver());
    }

    private ChannelSecurity security(Credential credential, TlsEngine engine, boolean guests)
            throws GeneralSecurityException {
        ChainValidator validator = new ChainValidator(TrustStore.of(authority.certificate()));
        return ChannelSecurity.tls(
                new TlsContexts(
                        () -> credential,
                        validator,
                        () -> GridMap.parse(MAP, "test"),
                        Clock.system(),
                        engine,
                        loops.handshakes(),
                        guests));
    }

    private static CertificateAuthority authority() {
        try {
            return CertificateAuthority.create("/O=Test/CN=Test CA", Instant.now());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
