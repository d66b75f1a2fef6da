package org.gridfarm.client.cli.support;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes out of texts what lets somebody in. Pure. */
public final class Redaction {
    static final String REMOVED = "(removed)";

    /** In configurations, command lines and logs; the name of a file with a secret is none. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?i)([\"']?[\\w.-]*(?:password|passphrase|secret|token)(?!_?file)[\"']?\\s*[=:]\\s*)(\"[^\"]*\"|'[^']*'|[^\\s&,;]+)");

    private static final Pattern IN_ADDRESS = Pattern.compile("(://[^/\\s:@\"']*:)[^/\\s@\"']+@");

    private static final Pattern BEARER = Pattern.compile("(?i)(Bearer\\s+)\\S+");

    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)",
                    Pattern.DOTALL);

    private static final List<Pattern> KEEPING_THE_NAME = List.of(NAMED, BEARER);

    private Redaction() {}

    /** The same text without keys, passwords and tokens. */
    public static String of(String text) {
        String clean = KEY.matcher(text).replaceAll(Matcher.quoteReplacement(REMOVED));
        for (Pattern pattern : KEEPING_THE_NAME) {
            clean = pattern.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(REMOVED));
        }
        return IN_ADDRESS.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(REMOVED) + "@");
    }
}
