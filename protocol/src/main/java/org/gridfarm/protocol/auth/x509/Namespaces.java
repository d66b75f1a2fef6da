package org.gridfarm.protocol.auth.x509;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Which names which authority may give, as {@code namespaces} files of the EUGridPMA say it:
 *
 * <pre>
 * TO Issuer "/C=XX/O=Site/CN=Site CA" \
 *   PERMIT Subject "/C=XX/O=Site/.*"
 * TO Issuer SELF DENY Subject "/C=XX/O=Site/OU=old/.*"
 * </pre>
 *
 * <p>SELF is the authority that the file is about. A subject is a regular expression for the whole
 * name. Something must permit a name and nothing deny it; an authority of which nothing is said may
 * give any name. Filled once, then immutable.
 */
final class Namespaces {
    private static final Pattern RULE =
            Pattern.compile(
                    "TO\\s+ISSUER\\s+(SELF|\"[^\"]+\")\\s+(PERMIT|DENY)\\s+SUBJECT\\s+\"([^\"]+)\"",
                    Pattern.CASE_INSENSITIVE);

    private record Rule(boolean permits, Pattern names) {}

    private final Map<String, List<Rule>> rules = new HashMap<>();

    /**
     * Reads one more file.
     *
     * @param self names of the authorities that it is about
     * @throws IllegalArgumentException what is not understood; nothing of the file counts then
     */
    void add(String text, List<String> self) {
        Map<String, List<Rule>> found = new HashMap<>();
        for (String raw : text.replaceAll("\\\\[ \\t\\r]*\\n", " ").split("\n", -1)) {
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher rule = RULE.matcher(line);
            if (!rule.matches()) {
                throw new IllegalArgumentException("a line is not understood: " + line);
            }
            Rule made = new Rule(rule.group(2).equalsIgnoreCase("PERMIT"), pattern(rule.group(3)));
            for (String issuer : issuers(rule.group(1), self)) {
                found.computeIfAbsent(DistinguishedName.canonical(issuer), key -> new ArrayList<>())
                        .add(made);
            }
        }
        found.forEach((issuer, more) ->
                rules.computeIfAbsent(issuer, key -> new ArrayList<>()).addAll(more));
    }

    private static List<String> issuers(String text, List<String> self) {
        if (!text.equalsIgnoreCase("SELF")) {
            return List.of(text.substring(1, text.length() - 1));
        }
        if (self.isEmpty()) {
            throw new IllegalArgumentException("SELF, and no authority of the same file name");
        }
        return self;
    }

    private static Pattern pattern(String text) {
        try {
            return Pattern.compile(text, Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "no regular expression: " + text + ": " + e.getDescription(), e);
        }
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    boolean knows(String authority) {
        return rules.containsKey(DistinguishedName.canonical(authority));
    }

    /** Both in slash form. */
    boolean permits(String authority, String subject) {
        List<Rule> known = rules.get(DistinguishedName.canonical(authority));
        if (known == null) {
            return true;
        }
        String name = DistinguishedName.canonical(subject);
        List<Rule> fitting =
                known.stream().filter(rule -> rule.names().matcher(name).matches()).toList();
        return !fitting.isEmpty() && fitting.stream().allMatch(Rule::permits);
    }
}
