package org.gridfarm.client.cli.console;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a browser asks for: the path and its parameters, decoded; of a parameter that is there twice
 * the last counts.
 */
record Asked(String path, Map<String, String> parameters) {
    static Asked of(URI uri) {
        String path = uri.getPath();
        return new Asked(path == null || path.isEmpty() ? "/" : path, decoded(uri.getRawQuery()));
    }

    /** Of a query or of a form. */
    static Map<String, String> decoded(@org.jspecify.annotations.Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) return parameters;
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            parameters.put(decode(name), decode(value));
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a lone percent sign stands for itself
        }
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    String text(String name) {
        return parameters.getOrDefault(name, "");
    }

    /** What is no number, or lies outside, is the first one allowed. */
    long number(String name, long least, long most) {
        String text = text(name);
        if (!text.matches("[0-9]{1,18}")) return least;
        return Math.clamp(Long.parseLong(text), least, most);
    }

    /** A link to the same page with one parameter changed. */
    String with(String name, Object value) {
        Map<String, String> changed = new LinkedHashMap<>(parameters);
        changed.put(name, String.valueOf(value));
        StringBuilder link = new StringBuilder(path);
        char before = '?';
        for (Map.Entry<String, String> each : changed.entrySet()) {
            link.append(before).append(encode(each.getKey())).append('=');
            link.append(encode(each.getValue()));
            before = '&';
        }
        return link.toString();
    }
}
