package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.operand.XattrValue;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Extended attributes; names as in {@code user.origin}. ACLs are asked for by calls of their own.
 */
final class Xattrs {
    private static final String SYSTEM = "system.";

    private Xattrs() {}

    static void get(Call call) throws IOException {
        List<String> names = call.request().parameters().all("xattr.name");
        Encoding encoding =
                Encoding.named(call.request().parameters().text("encoding").orElse("text"));
        Map<String, byte[]> found = new TreeMap<>();
        if (names.isEmpty()) {
            for (String name : named(call)) {
                Optional<byte[]> value = call.farm().getXattr(call.path(), name);
                value.ifPresent(bytes -> found.put(name, bytes)); // gone meanwhile, perhaps
            }
        } else {
            for (String name : names) {
                byte[] value =
                        call.farm()
                                .getXattr(call.path(), name)
                                .orElseThrow(() ->
                                        new FarmException(
                                                ErrorKind.NO_ATTRIBUTE,
                                                "get " + name,
                                                call.path().toString()));
                found.put(name, value);
            }
        }
        WebHdfs.answer(
                call,
                json -> {
                    json.writeArrayPropertyStart("XAttrs");
                    found.forEach((name, value) -> {
                        json.writeStartObject();
                        json.writeStringProperty("name", name);
                        json.writeStringProperty("value", encoding.of(value));
                        json.writeEndObject();
                    });
                    json.writeEndArray();
                });
    }

    private static List<String> named(Call call) {
        return call.farm().listXattr(call.path()).stream()
                .filter(name -> !name.startsWith(SYSTEM))
                .toList();
    }

    /** The names are an array in a text, as HDFS has it. */
    static void list(Call call) throws IOException {
        String names =
                named(call).stream()
                        .map(name -> "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
                        .collect(Collectors.joining(",", "[", "]"));
        WebHdfs.answer(call, json -> json.writeStringProperty("XAttrNames", names));
    }

    static void set(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        String name = parameters.required("xattr.name");
        byte[] value = parameters.text("xattr.value").map(Xattrs::decoded).orElse(new byte[0]);
        boolean create = false;
        boolean replace = false;
        for (String flag : parameters.required("flag").toUpperCase(Locale.ROOT).split(",")) {
            switch (flag) {
                case "CREATE" -> create = true;
                case "REPLACE" -> replace = true;
                default -> throw Parameters.wrong("flag", "is CREATE or REPLACE, not " + flag);
            }
        }
        boolean either = create && replace;
        call.farm().setXattr(call.path(), name, value, create && !either, replace && !either);
        WebHdfs.done(call);
    }

    static void remove(Call call) throws IOException {
        call.farm().removeXattr(call.path(), call.request().parameters().required("xattr.name"));
        WebHdfs.done(call);
    }

    /** As clients write values: {@code 0x...}, {@code 0s...} (Base64), {@code "text"} or text. */
    private static byte[] decoded(String text) {
        boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
        if (quoted) return NameText.bytes(text.substring(1, text.length() - 1));
        try {
            return XattrValue.bytes(text);
        } catch (IllegalArgumentException e) {
            throw Parameters.wrong("xattr.value", String.valueOf(e.getMessage()));
        }
    }

    private enum Encoding {
        TEXT,
        HEX,
        BASE64;

        static Encoding named(String word) {
            for (Encoding encoding : values()) {
                if (encoding.name().equals(word.toUpperCase(Locale.ROOT))) return encoding;
            }
            throw Parameters.wrong("encoding", "is text, hex or base64, not " + word);
        }

        String of(byte[] value) {
            return switch (this) {
                case TEXT -> "\"" + NameText.of(value) + "\"";
                case HEX -> "0x" + HexFormat.of().formatHex(value);
                case BASE64 -> "0s" + Base64.getEncoder().encodeToString(value);
            };
        }
    }
}
