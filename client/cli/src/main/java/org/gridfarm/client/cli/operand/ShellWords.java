package org.gridfarm.client.cli.operand;

import java.util.ArrayList;
import java.util.List;

/**
 * A line as words: parted by blanks, with {@code '...'}, {@code "..."} and a backslash as a shell
 * has them. Nothing is expanded.
 */
public final class ShellWords {
    /** Other blanks of Unicode are parts of names. A line of a file from Windows ends with CR. */
    private static final String BLANKS = " \t\r";

    private final String line;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private int at;

    private ShellWords(String line) {
        this.line = line;
    }

    /**
     * @throws IllegalArgumentException a quotation does not end, or the line ends with a backslash
     */
    public static List<String> of(String line) {
        return new ShellWords(line).split();
    }

    private List<String> split() {
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (BLANKS.indexOf(c) >= 0) {
                endWord();
            } else if (c == '#' && !inWord) {
                at = line.length(); // the rest is a comment
            } else {
                inWord = true;
                take(c);
            }
        }
        endWord();
        return List.copyOf(words);
    }

    private void endWord() {
        if (inWord) words.add(word.toString());
        word.setLength(0);
        inWord = false;
    }

    private void take(char c) {
        switch (c) {
            case '\'' -> quotation('\'');
            case '"' -> quotation('"');
            case '\\' -> word.append(next("it ends with a backslash"));
            default -> word.append(c);
        }
    }

    private void quotation(char mark) {
        String unended = "a quotation " + mark + " does not end";
        for (char c = next(unended); c != mark; c = next(unended)) {
            boolean escapes = mark == '"' && c == '\\' && isEscapable();
            word.append(escapes ? next(unended) : c);
        }
    }

    /** Within double quotes a backslash before anything else is one. */
    private boolean isEscapable() {
        return at < line.length() && "\"\\$`".indexOf(line.charAt(at)) >= 0;
    }

    private char next(String otherwise) {
        if (at == line.length()) throw new IllegalArgumentException(otherwise);
        return line.charAt(at++);
    }
}
