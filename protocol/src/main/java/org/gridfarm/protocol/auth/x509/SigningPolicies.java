package org.gridfarm.protocol.auth.x509;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which names which authority may give, as {@code signing_policy} files of grid directories say it:
 *
 * <pre>
 * access_id_CA   X509    '/C=XX/O=Site/CN=Site CA'
 * pos_rights     globus  CA:sign
 * cond_subjects  globus  '"/C=XX/O=Site/*" "/DC=org/DC=site/*"'
 * </pre>
 *
 * <p>{@code *} stands for any text and {@code ?} for any character. An authority of which nothing
 * is said may give any name. Filled once, then immutable.
 */
final class SigningPolicies {
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+(\\S+)\\s+(.+)");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");

    private final Map<String, List<Pattern>> permitted = new HashMap<>();

    /**
     * Reads one more file.
     *
     * @throws IllegalArgumentException what is wrong in which line; nothing of the file counts then
     */
    void add(String text) {
        Map<String, List<Pattern>> found = new HashMap<>();
        String authority = "";
        boolean signs = false;
        int number = 0;
        for (String raw : text.split("\n", -1)) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw wrong(number, line);
            }
            String value = matcher.group(3).strip();
            switch (matcher.group(1)) {
                case "access_id_CA" -> {
                    authority = DistinguishedName.canonical(unquoted(value));
                    signs = false;
                    found.computeIfAbsent(authority, key -> new ArrayList<>());
                }
                case "pos_rights" -> signs = value.equals("CA:sign");
                case "cond_subjects" -> {
                    List<Pattern> names = found.get(authority);
                    if (names == null) {
                        throw wrong(number, "no access_id_CA before it");
                    }
                    if (signs) {
                        names.addAll(patterns(value));
                    }
                }
                default -> throw wrong(number, line);
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("no access_id_CA in it");
        }
        found.forEach((name, names) ->
                permitted.computeIfAbsent(name, key -> new ArrayList<>()).addAll(names));
    }

    boolean isEmpty() {
        return permitted.isEmpty();
    }

    boolean knows(String authority) {
        return permitted.containsKey(DistinguishedName.canonical(authority));
    }

    /** Both in slash form. */
    boolean permits(String authority, String subject) {
        List<Pattern> names = permitted.get(DistinguishedName.canonical(authority));
        return names == null
                || names.stream()
                        .anyMatch(name ->
                                name.matcher(DistinguishedName.canonical(subject)).matches());
    }

    private static IllegalArgumentException wrong(int line, String what) {
        return new IllegalArgumentException("line " + line + " is not understood: " + what);
    }

    private static String unquoted(String value) {
        char first = value.charAt(0);
        boolean quoted =
                value.length() > 1
                        && (first == '\'' || first == '"')
                        && value.charAt(value.length() - 1) == first;
        return quoted ? value.substring(1, value.length() - 1) : value;
    }

    private static List<Pattern> patterns(String value) {
        String inside = value.startsWith("'") ? unquoted(value) : value;
        Matcher quoted = QUOTED.matcher(inside);
        List<Pattern> patterns = new ArrayList<>();
        while (quoted.find()) {
            patterns.add(pattern(quoted.group(1)));
        }
        return patterns.isEmpty() ? List.of(pattern(inside)) : patterns;
    }

    private static Pattern pattern(String wildcards) {
        StringBuilder regex = new StringBuilder();
        DistinguishedName.canonical(wildcards)
                .codePoints()
                .forEach(point -> {
                    switch (point) {
                        case '*' -> regex.append(".*");
                        case '?' -> regex.append('.');
                        default -> regex.append(Pattern.quote(Character.toString(point)));
                    }
                });
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
