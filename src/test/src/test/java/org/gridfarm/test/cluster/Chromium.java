package org.gridfarm.test.cluster;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A real browser without a screen, told what to do by its DevTools protocol. */
final class Chromium implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();

    /** One page of its own, with a fresh profile. */
    static Chromium start(Path profile) throws IOException {
        Process process =
                new ProcessBuilder(
                                "chromium",
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--remote-debugging-port=0",
                                "--window-size=1280,900",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectErrorStream(true)
                        .redirectOutput(profile.resolve("log").toFile())
                        .start();
        Path port = profile.resolve("DevToolsActivePort");
        Awaitility.await().atMost(PATIENCE).until(() -> Files.exists(port) && Files.size(port) > 0);
        return new Chromium(process, page(Files.readAllLines(port).get(0)));
    }

    private static URI page(String port) {
        HttpRequest list =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                        .build();
        return Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> {
                            try (HttpClient client = HttpClient.newHttpClient()) {
                                String said = client.send(list, BodyHandlers.ofString()).body();
                                return URI.create(
                                        JSON.readTree(said)
                                                .get(0)
                                                .get("webSocketDebuggerUrl")
                                                .asString());
                            }
                        },
                        address -> true);
    }

    private Chromium(Process process, URI page) {
        this.process = process;
        this.socket =
                HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .buildAsync(page, new Ear())
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join();
        call("Page.enable", Map.of());
    }

    private final class Ear implements WebSocket.Listener {
        private final StringBuilder said = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            said.append(part);
            if (last) {
                JsonNode message = JSON.readTree(said.toString());
                said.setLength(0);
                CompletableFuture<JsonNode> waits =
                        message.has("id") ? open.remove(message.get("id").asInt()) : null;
                if (waits != null) waits.complete(message);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    JsonNode call(String method, Map<String, ?> parameters) {
        int id = calls.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        open.put(id, answer);
        socket.sendText(
                        JSON.writeValueAsString(
                                Map.of("id", id, "method", method, "params", parameters)),
                        true)
                .join();
        JsonNode said = answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        if (said.has("error")) throw new AssertionError(method + ": " + said.get("error"));
        return said.get("result");
    }

    /** The value of an expression in the page. */
    JsonNode value(String expression) {
        JsonNode result =
                call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
        if (result.has("exceptionDetails")) throw new AssertionError(result.toString());
        JsonNode value = result.get("result").get("value");
        return value == null ? JSON.nullNode() : value;
    }

    /** Until the expression is true; a page may be about to be another. */
    void await(String expression) {
        Awaitility.await()
                .alias(expression)
                .atMost(PATIENCE)
                .ignoreException(AssertionError.class)
                .until(() -> value("!!(" + expression + ")").asBoolean());
    }

    void open(String address) {
        call("Page.navigate", Map.of("url", address));
        await("document.readyState === 'complete' && location.href.startsWith('" + address + "')");
    }

    /** A key with the letter that it types. */
    void press(String key) {
        for (String type : List.of("keyDown", "keyUp")) {
            boolean down = type.equals("keyDown");
            Map<String, Object> event =
                    down && key.length() == 1
                            ? Map.of("type", type, "key", key, "text", key)
                            : Map.of("type", type, "key", key);
            call("Input.dispatchKeyEvent", event);
        }
    }

    void colours(String scheme) {
        call(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void screenshot(Path file) throws IOException {
        String data =
                call("Page.captureScreenshot", Map.of("format", "png")).get("data").asString();
        Files.write(file, Base64.getDecoder().decode(data));
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
