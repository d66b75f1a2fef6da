package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.HttpExchange;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The style sheet and the script: the same for everybody, whoever he is. */
final class Assets {
    private static final Map<String, String> TYPES =
            Map.of(
                    "/console.css", "text/css; charset=utf-8",
                    "/console.js", "text/javascript; charset=utf-8");

    private Assets() {}

    static boolean serves(String path) {
        return TYPES.containsKey(path);
    }

    static void send(HttpExchange exchange, String path) throws IOException {
        try (InputStream file = Assets.class.getResourceAsStream(path.substring(1))) {
            if (file == null) throw new IllegalStateException(path + " is not in the program");
            exchange.getResponseHeaders().set("Cache-Control", "max-age=300");
            Reply.send(
                    exchange,
                    200,
                    TYPES.getOrDefault(path, "text/plain"),
                    new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
