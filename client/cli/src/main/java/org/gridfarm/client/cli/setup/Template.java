package org.gridfarm.client.cli.setup;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configuration file as it ships, with its comments, in which values are replaced. Immutable.
 *
 * <p>A key is looked for in its own section, also where it is commented out; a key that the
 * template does not have is a mistake of the caller.
 */
record Template(String text) {
    private static final Pattern SECTION = Pattern.compile("^#?\\[([a-z_]+)].*");

    /** One of deploy/config, which the build puts beside the classes. */
    static Template shipped(String name) {
        try (InputStream in = Template.class.getResourceAsStream("/deploy/config/" + name)) {
            if (in == null) throw new IllegalStateException("no template " + name);
            return new Template(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A string; quoted here. */
    Template with(String section, String key, String value) {
        return raw(section, key, quoted(value));
    }

    Template with(String section, String key, List<String> values) {
        return raw(
                section,
                key,
                values.stream()
                        .map(Template::quoted)
                        .collect(java.util.stream.Collectors.joining(", ", "[", "]")));
    }

    /**
     * @param section empty for what stands above the first one
     * @param value as TOML writes it
     */
    Template raw(String section, String key, String value) {
        Pattern line = Pattern.compile("^#?" + Pattern.quote(key) + " = (.*)");
        List<String> lines = new ArrayList<>();
        String at = "";
        boolean found = false;
        for (String one : text.split("\n", -1)) {
            Matcher header = SECTION.matcher(one);
            if (header.matches()) at = header.group(1);
            Matcher match = line.matcher(one);
            if (!found && at.equals(section) && match.matches()) {
                found = true;
                lines.add(key + " = " + value + comment(match.group(1)));
            } else {
                lines.add(one);
            }
        }
        if (!found) throw new IllegalArgumentException("no " + key + " in [" + section + "]");
        return new Template(String.join("\n", lines));
    }

    /** What stands behind the old value: a # outside of quotes. */
    private static String comment(String rest) {
        boolean inside = false;
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            if (c == '"') inside = !inside;
            if (c == '#' && !inside) return " " + rest.substring(i);
        }
        return "";
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
