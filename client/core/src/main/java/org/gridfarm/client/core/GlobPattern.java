package org.gridfarm.client.core;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Patterns over names as text ({@link org.gridfarm.protocol.name.NameText}): those of the JDK match
 * only what the locale's charset holds. The syntax is the one of {@link
 * java.nio.file.FileSystem#getPathMatcher}; a byte that is no part of a character counts as one.
 */
public final class GlobPattern {
    private static final String GLOB = "glob:";
    private static final String REGEX = "regex:";
    private static final String SPECIAL = ".^$*?+{[]|()\\&";

    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int at;
    private boolean inChoice;

    private GlobPattern(String glob) {
        this.glob = glob;
    }

    /** From {@code glob:...} or {@code regex:...}. */
    public static Pattern of(String syntaxAndPattern) {
        if (syntaxAndPattern.startsWith(REGEX)) {
            return Pattern.compile(syntaxAndPattern.substring(REGEX.length()));
        }
        if (syntaxAndPattern.startsWith(GLOB)) {
            return glob(syntaxAndPattern.substring(GLOB.length()));
        }
        if (syntaxAndPattern.indexOf(':') <= 0) {
            throw new IllegalArgumentException(syntaxAndPattern + ": no syntax");
        }
        throw new UnsupportedOperationException(syntaxAndPattern + ": neither glob nor regex");
    }

    public static Pattern glob(String glob) {
        return new GlobPattern(glob).compile();
    }

    private Pattern compile() {
        while (at < glob.length()) {
            int c = next();
            switch (c) {
                case '\\' -> literal(escaped());
                case '*' -> star();
                case '?' -> regex.append("[^/]");
                case '[' -> characters();
                case '{' -> {
                    if (inChoice) {
                        throw new PatternSyntaxException("braces within braces", glob, at - 1);
                    }
                    inChoice = true;
                    regex.append("(?:(?:");
                }
                case '}' -> {
                    regex.append(inChoice ? "))" : "\\}");
                    inChoice = false;
                }
                case ',' -> regex.append(inChoice ? ")|(?:" : ",");
                default -> literal(c);
            }
        }
        if (inChoice) {
            throw new PatternSyntaxException("'}' is missing", glob, at);
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private int next() {
        int c = glob.codePointAt(at);
        at += Character.charCount(c);
        return c;
    }

    private int escaped() {
        if (at == glob.length()) {
            throw new PatternSyntaxException("nothing to escape", glob, at);
        }
        return next();
    }

    private void star() {
        boolean across = at < glob.length() && glob.charAt(at) == '*';
        at += across ? 1 : 0;
        regex.append(across ? ".*" : "[^/]*");
    }

    private void literal(int c) {
        if (SPECIAL.indexOf(c) >= 0) {
            regex.append('\\');
        }
        regex.appendCodePoint(c);
    }

    /** What stands in brackets, where only '-' between two and a leading '!' mean something. */
    private void characters() {
        regex.append("[[^/]&&[");
        if (at < glob.length() && glob.charAt(at) == '!') {
            regex.append('^');
            at++;
        }
        int first = at;
        while (true) {
            if (at == glob.length()) {
                throw new PatternSyntaxException("']' is missing", glob, at);
            }
            int c = next();
            if (c == ']' && at > first + 1) {
                break;
            }
            boolean range =
                    c == '-' && at > first + 1 && at < glob.length() && glob.charAt(at) != ']';
            if (c == '/') {
                throw new PatternSyntaxException("'/' in brackets", glob, at - 1);
            } else if (!range && (c == '-' || SPECIAL.indexOf(c) >= 0)) {
                regex.append('\\');
            }
            regex.appendCodePoint(c);
        }
        regex.append("]]");
    }
}
