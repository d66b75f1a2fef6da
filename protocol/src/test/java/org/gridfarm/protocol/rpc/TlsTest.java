package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;

import com.google.protobuf.StringValue;

import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.wire.ActAsRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

class TlsTest {
    private static final String MAP =
            """
            "/O=Test/CN=alice" alice
            "/O=Test/CN=carol" carol,astro,carol-adm
            "/O=Test/CN=ms1" @metaserver
            "/O=Test/CN=n1" @node:n1
            """;
    private final CertificateAuthority authority = authority("/O=Test/CN=Test CA");
    private final Loops loops = Loops.start("test");
    private final List<RpcServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(RpcServer::close);
        loops.close();
    }

    @ParameterizedTest
    @CsvSource({"JDK,JDK", "JDK,NATIVE", "NATIVE,JDK", "NATIVE,NATIVE"})
    void bothSidesKnowEachOtherAndBytesTravelEncrypted(
            TlsEngine serverEngine, TlsEngine clientEngine, @TempDir Path folder) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), serverEngine);
        RpcClient client = client(user("alice"), clientEngine);
        for (int connection = 0;
                connection < 3;
                connection++) { // the later ones may resume the first one's session
            Peer peer = get(client.dial(server.address()));
            assertThat(peer.identity().role()).isEqualTo(Role.METASERVER);
            assertThat(get(peer.callPlain(ECHO, text(""), PATIENCE)).getValue()).isEqualTo("alice");
            byte[] bytes = new byte[3_000_000];
            new Random(connection).nextBytes(bytes);
            Answer<StringValue> answer =
                    get(peer.call(BYTES, text("x"), Unpooled.wrappedBuffer(bytes), PATIENCE));
            assertThat(take(answer.payload())).isEqualTo(bytes);
            Path file = Files.write(folder.resolve("f" + connection), bytes);
            answer = get(peer.call(FILE, text(file.toString()), null, PATIENCE));
            assertThat(take(answer.payload())).isEqualTo(bytes);
            peer.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void aPersonWhomTheMapDoesNotKnowIsToldSo(TlsEngine engine) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), engine);
        FarmException failure = failure(client(user("mallory"), engine).dial(server.address()));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(failure.detail()).contains("grid-mapfile");
    }

    @ParameterizedTest
    @CsvSource({"JDK,JDK", "JDK,NATIVE", "NATIVE,JDK", "NATIVE,NATIVE"})
    void whoShowsACertificateOfAnotherKeyIsRefusedAndToldSo(
            TlsEngine serverEngine, TlsEngine clientEngine) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), serverEngine);
        Credential mixed = new Credential(user("alice").chain(), user("carol").key());
        FarmException failure = failure(client(mixed, clientEngine).dial(server.address()));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(failure.detail()).contains("does not belong to the first certificate");
    }

    @Test
    void theAuditLogTellsWhoCameAsWhomAndWhoDidNot(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("audit.log");
        Runnable end = AuditLog.to(Optional.of(file));
        try {
            RpcServer server = serve(host("ms1", "127.0.0.1"), TlsEngine.JDK);
            get(client(user("alice"), TlsEngine.JDK).dial(server.address()));
            failure(client(user("mallory"), TlsEngine.JDK).dial(server.address()));
            Credential foreign =
                    authority("/O=Other/CN=Other CA").issueUser("/O=Test/CN=alice", Instant.now());
            failure(client(foreign, TlsEngine.JDK).dial(server.address()));
            await().until(() -> Files.readAllLines(file).size() == 3);
        } finally {
            end.run();
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0))
                .matches(
                        "time=\\S+Z result=mapped who=\"/O=Test/CN=alice\" as=alice from=127\\S+"
                                + " what=\"connect\" on=\".+\"");
        assertThat(lines.get(1))
                .contains("result=refused who=\"\"", "mallory")
                .contains("why=\"not in the grid-mapfile");
        assertThat(lines.get(2)).contains("result=refused who=\"\"", "trusted authority");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> AuditLog.to(Optional.of(folder.resolve("no/audit.log"))))
                .matches(e -> e.kind() == ErrorKind.BAD_CONFIGURATION);
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void aPersonIsWhicheverOfHisAccountsHeNames(TlsEngine engine) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), engine);
        RpcClient carol = client(user("carol"), engine);
        for (String account : List.of("astro", "carol-adm", "carol", "astro", "")) {
            Peer peer = get(carol.as(account).dial(server.address()));
            assertThat(get(peer.callPlain(ECHO, text(""), PATIENCE)).getValue())
                    .isEqualTo(account.isEmpty() ? "carol" : account);
        }
        for (String other :
                List.of("alice", "root", "carol,astro", "@node:n1", "Carol", " carol")) {
            FarmException failure = failure(carol.as(other).dial(server.address()));
            assertThat(failure.kind()).as(other).isEqualTo(ErrorKind.ACCESS_DENIED);
            assertThat(failure.detail()).contains("but to carol, astro, carol-adm");
        }
    }

    /** What was opened for one account is not gone on with as another. */
    @Test
    void whoHasAskedForSomethingStaysWhoHeIs() throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), TlsEngine.AUTOMATIC);
        Peer peer = get(client(user("carol"), TlsEngine.AUTOMATIC).dial(server.address()));
        assertThat(get(peer.callPlain(ECHO, text(""), PATIENCE)).getValue()).isEqualTo("carol");
        ActAsRequest astro = ActAsRequest.newBuilder().setAccount("astro").build();
        assertThat(failure(peer.callPlain(ActAs.METHOD, astro, PATIENCE)).kind())
                .isEqualTo(ErrorKind.BUSY);
        assertThat(get(peer.callPlain(ECHO, text(""), PATIENCE)).getValue()).isEqualTo("carol");
        Peer host = get(client(host("n1", "n1"), TlsEngine.AUTOMATIC).dial(server.address()));
        assertThat(failure(host.callPlain(ActAs.METHOD, astro, PATIENCE)).kind())
                .isEqualTo(ErrorKind.NOT_PERMITTED);
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void aCertificateOfAnotherAuthorityIsRefusedByTheServer(TlsEngine engine) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), engine);
        Credential foreign =
                authority("/O=Other/CN=Other CA").issueUser("/O=Test/CN=alice", Instant.now());
        assertThat(failure(client(foreign, engine).dial(server.address())).kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void aServerOfAnotherHostIsRefusedByTheClient(TlsEngine engine) throws Exception {
        RpcServer server = serve(host("ms1", "elsewhere.example"), engine);
        FarmException failure = failure(client(user("alice"), engine).dial(server.address()));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(failure.detail()).contains("/O=Test/CN=ms1");
    }

    @Test
    void aServerOfAnotherRoleOrNodeIsRefusedByTheClient() throws Exception {
        RpcServer server = serve(host("n1", "127.0.0.1"), TlsEngine.AUTOMATIC);
        RpcClient client = client(user("alice"), TlsEngine.AUTOMATIC);
        assertThat(failure(client.dial(server.address())).kind())
                .isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        RpcClient toN2 = client.expecting(ExpectedServer.node(new NodeName("n2")));
        assertThat(failure(toN2.dial(server.address())).detail()).contains("n1");
        RpcClient toN1 = client.expecting(ExpectedServer.node(new NodeName("n1")));
        assertThat(get(toN1.dial(server.address())).isOpen()).isTrue();
    }

    @Test
    void whomTheMapDoesNotNameIsNoServer() throws Exception {
        RpcServer server = serve(host("web", "127.0.0.1"), TlsEngine.AUTOMATIC);
        FarmException failure =
                failure(client(user("alice"), TlsEngine.AUTOMATIC).dial(server.address()));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(failure.detail()).contains("does not name /O=Test/CN=web");
    }

    @Test
    void someNodeIsOneOnlyWhereTheMapSaysWhichItIs() throws Exception {
        RpcServer server = serve(host("n1", "127.0.0.1"), TlsEngine.AUTOMATIC);
        RpcClient known = client(user("alice"), TlsEngine.AUTOMATIC);
        Peer node = get(known.expecting(ExpectedServer.anyNode()).dial(server.address()));
        assertThat(node.identity().node()).contains(new NodeName("n1"));
        RpcClient without =
                new RpcClient(
                        loops,
                        security(user("alice"), TlsEngine.AUTOMATIC, ""),
                        ExpectedServer.anyNode());
        FarmException failure = failure(without.dial(server.address()));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        assertThat(failure.detail()).contains("no grid-mapfile says which node this is");
    }

    @ParameterizedTest
    @CsvSource({"JDK", "NATIVE"})
    void manyCallsShareEncryptedRecords(TlsEngine engine) throws Exception {
        RpcServer server = serve(host("ms1", "127.0.0.1"), engine);
        Peer peer = get(client(user("alice"), engine).dial(server.address()));
        List<CompletableFuture<StringValue>> calls = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) calls.add(peer.callPlain(CALL_ME, text("" + i), PATIENCE));
        for (int i = 0; i < calls.size(); i++)
            assertThat(get(calls.get(i)).getValue()).isEqualTo(i + "!?");
    }

    private RpcServer serve(Credential credential, TlsEngine engine) {
        Services services =
                Services.builder()
                        .on(ECHO, x -> x.reply(text(x.peer().identity().user())))
                        .on(BYTES, x -> x.reply(x.request(), x.payload().retain()))
                        .on(FILE, Loopback::sendFile)
                        .onAsync(CALL_ME, Loopback::callBack)
                        .build();
        RpcServer server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                new HostPort("127.0.0.1", 0),
                                "metaserver ms1",
                                security(credential, engine),
                                services));
        servers.add(server);
        return server;
    }

    private RpcClient client(Credential credential, TlsEngine engine) {
        return new RpcClient(
                loops,
                security(credential, engine),
                ExpectedServer.metaserver(),
                Services.builder().answer(ECHO, q -> text(q.getValue() + "?")).build(),
                KeepAlive.DEFAULT,
                RpcObserver.NONE);
    }

    private ChannelSecurity security(Credential credential, TlsEngine engine) {
        return security(credential, engine, MAP);
    }

    private ChannelSecurity security(Credential credential, TlsEngine engine, String map) {
        try {
            ChainValidator validator = new ChainValidator(TrustStore.of(authority.certificate()));
            return ChannelSecurity.tls(
                    new TlsContexts(
                            () -> credential,
                            validator,
                            () -> GridMap.parse(map, "test"),
                            Clock.system(),
                            engine,
                            loops.handshakes()));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private Credential user(String name) throws GeneralSecurityException {
        return authority.issueUser("/O=Test/CN=" + name, Instant.now());
    }

    private Credential host(String name, String host) throws GeneralSecurityException {
        return authority.issueHost("/O=Test/CN=" + name, List.of(host), Instant.now());
    }

    private static CertificateAuthority authority(String dn) {
        try {
            return CertificateAuthority.create(dn, Instant.now());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
