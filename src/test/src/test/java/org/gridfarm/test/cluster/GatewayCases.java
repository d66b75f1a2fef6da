package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A gateway of a person, on the usual farm, and how it is asked. */
abstract class GatewayCases {
    static final String TOKEN = "the token of this test";
    static final String FS = "/fs/gateway";
    static final String WEB = "/webhdfs/v1/gateway";

    static TestFarm farm;
    static ClientConfig config;
    static Gateway gateway;
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/gateway", 2);
        config = ClientConfig.read(farm.directory().resolve("client.toml"));
        gateway = gateway(config, false);
    }

    static Gateway gateway(ClientConfig of, boolean open) {
        return Gateway.start(
                of,
                new Gateway.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.empty(),
                        Optional.empty(),
                        Set.of(),
                        open,
                        open ? Optional.empty() : Optional.of(TOKEN),
                        Optional.of(new HostPort("127.0.0.1", 0))));
    }

    @AfterAll
    static void stop() {
        if (gateway != null) gateway.close();
        if (farm != null) farm.client().deleteRecursively(FarmPath.of("/gateway"));
    }

    static HttpRequest.Builder at(String path) {
        return HttpRequest.newBuilder(URI.create(gateway.url() + path))
                .header("Authorization", "Bearer " + TOKEN);
    }

    static HttpResponse<String> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = at(path);
        if (headers.length > 0) request.headers(headers);
        return send(request.build());
    }

    static HttpResponse<String> asked(String method, String path, String body) {
        return send(at(path).method(method, BodyPublishers.ofString(body)).build());
    }

    static HttpResponse<String> put(String path, String body) {
        return asked("PUT", path, body);
    }

    static JsonNode json(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(answer.body());
    }

    static List<String> names(String directory) {
        return farm.client()
                .list(FarmPath.of(directory))
                .map(e -> e.path().last().toString())
                .toList();
    }

    static String read(String path) {
        try (InputStream in = farm.client().read(FarmPath.of(path))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** URI.create takes nothing that must be wrong on purpose; ".." it leaves alone. */
    static HttpResponse<String> raw(String method, String path) {
        return send(at(path).method(method, BodyPublishers.noBody()).build());
    }
}
