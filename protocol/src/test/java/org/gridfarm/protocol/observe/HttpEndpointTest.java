package org.gridfarm.protocol.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.StringValue;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.KeepAlive;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

class HttpEndpointTest {
    private static final HostPort ANY = new HostPort("127.0.0.1", 0);

    private final Loops loops = Loops.start("test");
    private final Metrics metrics = new Metrics("metaserver", "ms1");
    private final Health health = new Health();
    private final HttpEndpoint endpoint = HttpEndpoint.bind(loops, ANY, metrics, health);

    @AfterEach
    void close() {
        endpoint.close();
        metrics.close();
        loops.close();
    }

    @Test
    void healthFollowsItsChecks() throws Exception {
        AtomicReference<Optional<String>> database = new AtomicReference<>(Optional.empty());
        health.check("database", Health.Meaning.READINESS, database::get);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        database.set(Optional.of("no connection for 3 s"));
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/readyz").body()).contains("database: no connection for 3 s");
        assertThat(get("/healthz").statusCode()).isEqualTo(503);
        assertThat(get("/livez").statusCode()).as("a restart would not help").isEqualTo(200);
    }

    /** A byte a minute keeps a connection; many of them keep nobody out. */
    @Test
    void whoHoldsManyConnectionsKeepsNobodyElseOut() throws Exception {
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * HttpEndpoint.CONNECTIONS_MAX; i++) {
                Socket one = new Socket(endpoint.address().host(), endpoint.address().port());
                held.add(one);
                one.getOutputStream().write('G');
            }
            assertThat(get("/livez").statusCode()).isEqualTo(200);
            held.get(0).setSoTimeout(5_000);
            assertThat(held.get(0).getInputStream().read())
                    .as("the oldest has ended")
                    .isEqualTo(-1);
        } finally {
            for (Socket one : held) one.close();
        }
    }

    @Test
    void aCheckThatThrowsIsNoReasonToBeSilent() throws Exception {
        health.check(
                "broken",
                Health.Meaning.LIVENESS,
                () -> {
                    throw new IllegalStateException("planted");
                });
        assertThat(get("/livez").statusCode()).isEqualTo(500);
    }

    @Test
    void everyMeterIsOursAndNamesTheComponent() throws Exception {
        List<String> lines =
                get("/metrics").body().lines().filter(line -> !line.startsWith("#")).toList();
        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(line).startsWith("gf_").contains("component=\"metaserver\""));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).startsWith("gf_jvm_memory_used_bytes"));
    }

    @Test
    void callsAreCountedOnBothSides() throws Exception {
        Method<StringValue, StringValue> echo =
                new Method<>(
                        1,
                        "echo",
                        StringValue.parser(),
                        StringValue.parser(),
                        Retry.IDEMPOTENT,
                        Access.PEOPLE);
        Method<StringValue, StringValue> refuse =
                new Method<>(
                        2,
                        "refuse",
                        StringValue.parser(),
                        StringValue.parser(),
                        Retry.IDEMPOTENT,
                        Access.PEOPLE);
        Services services =
                Services.builder()
                        .answer(echo, q -> q)
                        .on(
                                refuse,
                                x -> x.fail(new FarmException(ErrorKind.NOT_FOUND, "refuse", "/x")))
                        .build();
        ChannelSecurity security =
                ChannelSecurity.insecureForTests(
                        new Identity("/CN=a", Role.USER, List.of("a"), Optional.empty(), false));
        RpcMeters meters = new RpcMeters(metrics.registry());
        try (RpcServer server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(ANY, "s", security, services).withObserver(meters))) {
            RpcClient client =
                    new RpcClient(
                            loops,
                            security,
                            ExpectedServer.metaserver(),
                            Services.none(),
                            KeepAlive.DEFAULT,
                            meters);
            Peer peer = client.dial(server.address()).get(10, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++)
                peer.callPlain(echo, StringValue.of("x"), Duration.ofSeconds(10))
                        .get(10, TimeUnit.SECONDS);
            peer.callPlain(refuse, StringValue.of("x"), Duration.ofSeconds(10))
                    .handle((r, f) -> 0)
                    .get(10, TimeUnit.SECONDS);
            String page = get("/metrics").body();
            assertThat(count(page, "gf_rpc_duration_seconds_count", "echo", "ok", "client"))
                    .isEqualTo(3);
            assertThat(count(page, "gf_rpc_duration_seconds_count", "echo", "ok", "server"))
                    .isEqualTo(3);
            assertThat(
                            count(
                                    page,
                                    "gf_rpc_duration_seconds_count",
                                    "refuse",
                                    "not_found",
                                    "client"))
                    .isEqualTo(1);
            assertThat(page).containsPattern("gf_rpc_connections\\{[^}]*} 2\\.0");
            assertThat(page).containsPattern("gf_rpc_in_flight\\{[^}]*side=\"client\"[^}]*} 0\\.0");
            assertThat(page)
                    .containsPattern("gf_rpc_bytes_total\\{[^}]*direction=\"out\"[^}]*} [1-9]");
        }
    }

    @Test
    void otherRequestsAreTurnedAway() throws Exception {
        assertThat(get("/etc/passwd").statusCode()).isEqualTo(404);
        HttpRequest post =
                HttpRequest.newBuilder(uri("/metrics"))
                        .POST(HttpRequest.BodyPublishers.ofString("x"))
                        .build();
        assertThat(
                        HttpClient.newHttpClient()
                                .send(post, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                .isEqualTo(405);
        assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(raw("HEAD /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .endsWith("\r\n\r\n");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", endpoint.address().port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri(path)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://" + endpoint.address() + path);
    }

    private static double count(
            String page, String meter, String method, String result, String side) {
        return page.lines()
                .filter(line -> line.startsWith(meter + "{"))
                .filter(line ->
                        line.contains("method=\"" + method + "\"")
                                && line.contains("result=\"" + result + "\"")
                                && line.contains("side=\"" + side + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
