package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.HttpExchange;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Answers in the shapes that are needed. */
final class Reply {
    private static final int FORM_BYTES_MAX = 8 << 10;
    private static final int NO_BODY = -1;

    private Reply() {}

    static void html(HttpExchange exchange, int status, Html page) throws IOException {
        send(exchange, status, "text/html; charset=utf-8", page.toString());
    }

    static void text(HttpExchange exchange, int status, String text) throws IOException {
        send(exchange, status, "text/plain; charset=utf-8", text + "\n");
    }

    static void send(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        exchange.sendResponseHeaders(303, NO_BODY);
    }

    /** What a form has sent, as it was sent; the rest of a long one is left out. */
    static String form(HttpExchange exchange) throws IOException {
        return new String(
                exchange.getRequestBody().readNBytes(FORM_BYTES_MAX), StandardCharsets.UTF_8);
    }
}
