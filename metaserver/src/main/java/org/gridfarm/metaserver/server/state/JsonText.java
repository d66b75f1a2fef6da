package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.name.NameText;

import java.util.Locale;

/** One JSON object, written field by field. */
public final class JsonText {
    private final StringBuilder text = new StringBuilder("{");

    public JsonText put(String name, String value) {
        return raw(name, quoted(value));
    }

    public JsonText put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    public JsonText put(String name, double value) {
        return raw(name, String.format(Locale.ROOT, "%.4f", value));
    }

    /** A value that is JSON already. */
    public JsonText raw(String name, String json) {
        if (text.length() > 1) text.append(',');
        text.append(quoted(name)).append(':').append(json);
        return this;
    }

    static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ' || NameText.isByte(c))
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
