package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command of the shell in which marks are replaced by references to variables: one word each, in
 * whatever quotes the mark stands. What the variables hold is never part of the text, so nothing
 * that a file can be called is code; a mistake made here about a quote can at most split a name.
 *
 * <p>Follows the quotes of POSIX.1-2017, XCU 2.2, through $(...), ${...}, backquotes and
 * here-documents.
 */
final class ShellText {
    /** What follows is text for another shell. */
    private static final Pattern ANOTHER_SHELL =
            Pattern.compile(
                    "(?:^|[\\s;|&(/])(?:(?:ba|da|a|k|z)?sh(?:\\s+-\\S+)*?\\s+-[a-zA-Z]*c\\s+|eval\\s[^;|&\\n]*)$");

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+");
    private static final Pattern HERE_DOCUMENT =
            Pattern.compile("<<(-?)[ \\t]*(\\\\?[\\w.]+|'[^'\\n]*'|\"[^\"\\n]*\")");

    /** What a mark stands for. */
    interface Marks {
        /** At the beginning of what is left, if there is one there. */
        Optional<Mark> at(String text, int from);
    }

    /**
     * @param end where the text goes on
     * @param references as between double quotes, one for each word that it comes to
     * @param value what they come to, if all of it is known here
     * @param isName of a file, which others may have chosen
     */
    record Mark(int end, List<String> references, String value, boolean isName) {
        String joined() {
            return String.join(" ", references);
        }

        String quoted() {
            return references.stream().map(one -> '"' + one + '"').collect(Collectors.joining(" "));
        }
    }

    private enum Frame {
        COMMAND,
        SUBSTITUTION, // $( ) or ( )
        BACKQUOTES,
        BRACES, // ${ }
        ARITHMETIC, // $(( ))
        PARENTHESES, // ( ) in these
        DOUBLE_QUOTES,
        HERE_DOCUMENT
    }

    private record Opened(Frame frame, int at) {}

    private final String text;
    private final Marks marks;
    private final StringBuilder out = new StringBuilder();
    private final Deque<Opened> frames = new ArrayDeque<>();
    private final Deque<Matcher> hereDocuments = new ArrayDeque<>();
    private int at;

    private ShellText(String text, Marks marks, Frame outermost) {
        this.text = text;
        this.marks = marks;
        frames.push(new Opened(outermost, 0));
    }

    static String replace(String command, Marks marks) {
        return new ShellText(command, marks, Frame.COMMAND).run();
    }

    private String run() {
        while (at < text.length()) {
            boolean afterDollar = at > 0 && text.charAt(at - 1) == '$';
            Optional<Mark> mark = afterDollar ? Optional.empty() : marks.at(text, at);
            if (mark.isPresent()) {
                replace(mark.get());
            } else {
                step(text.charAt(at));
            }
        }
        return out.toString();
    }

    private void replace(Mark mark) {
        requireNoText(mark);
        switch (frame()) {
            case DOUBLE_QUOTES, HERE_DOCUMENT -> out.append(mark.joined());
            case ARITHMETIC, PARENTHESES -> out.append(number(mark));
            case COMMAND, SUBSTITUTION, BACKQUOTES, BRACES ->
                    out.append(isQuoted() ? mark.joined() : mark.quoted());
        }
        at = mark.end();
    }

    /** Braces within double quotes are quoted as these are. */
    private boolean isQuoted() {
        Frame around =
                frames.stream()
                        .map(Opened::frame)
                        .filter(frame -> frame != Frame.BRACES)
                        .findFirst()
                        .orElse(Frame.COMMAND);
        return around == Frame.DOUBLE_QUOTES || around == Frame.HERE_DOCUMENT;
    }

    /** Some shells evaluate what a variable holds there. */
    private String number(Mark mark) {
        if (!NUMBER.matcher(mark.value()).matches()) {
            throw refused(mark, "only a number can stand within $(( )), not " + mark.value());
        }
        return mark.value();
    }

    private void requireNoText(Mark mark) {
        for (Opened one : frames) {
            if (one.frame() == Frame.DOUBLE_QUOTES) {
                requireNoText(mark, one.at());
            }
        }
        if (mark.isName()) {
            requireNoText(mark, at);
        }
    }

    private void requireNoText(Mark mark, int word) {
        if (ANOTHER_SHELL.matcher(text.substring(0, word)).find()) {
            throw refused(
                    mark,
                    "within the text of another shell a name would be code; hand it over: sh -c 'wc \"$1\"' sh {}");
        }
    }

    private Frame frame() {
        return frames.element().frame();
    }

    private FarmException refused(Mark mark, String why) {
        return new FarmException(ErrorKind.USAGE, "run", text.substring(at, mark.end()), why);
    }

    private void step(char c) {
        Frame frame = frame();
        boolean plain = frame != Frame.DOUBLE_QUOTES && frame != Frame.HERE_DOCUMENT;
        if (c == '\\') {
            copy(2);
        } else if (c == '$' && text.startsWith("((", at + 1)) {
            enter(Frame.ARITHMETIC, 3);
        } else if (c == '$' && text.startsWith("(", at + 1)) {
            enter(Frame.SUBSTITUTION, 2);
        } else if (c == '$' && text.startsWith("{", at + 1)) {
            enter(Frame.BRACES, 2);
        } else if (c == '`') {
            enterOrLeave(Frame.BACKQUOTES);
        } else if (c == '"' && frame != Frame.HERE_DOCUMENT) {
            enterOrLeave(Frame.DOUBLE_QUOTES);
        } else if (c == '\'' && plain && !isQuoted()) {
            singleQuotes();
        } else if (c == '}' && frame == Frame.BRACES) {
            leave(1);
        } else if (frame == Frame.ARITHMETIC || frame == Frame.PARENTHESES) {
            arithmetic(c, frame);
        } else if (plain) {
            commandText(c, frame);
        } else {
            copy(1);
        }
    }

    private void arithmetic(char c, Frame frame) {
        if (c == '(') {
            enter(Frame.PARENTHESES, 1);
        } else if (c == ')' && frame == Frame.PARENTHESES) {
            leave(1);
        } else if (text.startsWith("))", at)) {
            leave(2);
        } else {
            copy(1);
        }
    }

    private void commandText(char c, Frame frame) {
        Matcher here = HERE_DOCUMENT.matcher(text).region(at, text.length());
        if (c == '(') {
            enter(Frame.SUBSTITUTION, 1);
        } else if (c == ')' && frame == Frame.SUBSTITUTION) {
            leave(1);
        } else if (c == '#' && beginsWord()) {
            int end = text.indexOf('\n', at);
            copy((end < 0 ? text.length() : end) - at);
        } else if (text.startsWith("<<<", at)) {
            copy(3);
        } else if (here.lookingAt()) {
            hereDocuments.add(here);
            copy(here.end() - at);
        } else {
            copy(1);
            while (c == '\n' && !hereDocuments.isEmpty()) {
                hereDocument(hereDocuments.remove());
            }
        }
    }

    private boolean beginsWord() {
        return at == 0 || " \t\n;|&()".indexOf(text.charAt(at - 1)) >= 0;
    }

    private void hereDocument(Matcher begin) {
        String word = begin.group(2);
        boolean isQuoted = !word.matches("[\\w.]+");
        String end = word.replaceAll("['\"\\\\]", "");
        int from = at;
        int to = at;
        while (to < text.length()) {
            int newline = text.indexOf('\n', to);
            int next = newline < 0 ? text.length() : newline + 1;
            String line = text.substring(to, newline < 0 ? next : newline);
            if ((begin.group(1).isEmpty() ? line : line.replaceAll("^\t+", "")).equals(end)) {
                break;
            }
            to = next;
        }
        String body = text.substring(from, to);
        if (!isQuoted) {
            out.append(new ShellText(body, marks, Frame.HERE_DOCUMENT).run());
            at = to;
            return;
        }
        while (at < to) {
            Optional<Mark> mark = marks.at(text, at);
            if (mark.isPresent()) {
                throw refused(
                        mark.get(),
                        "nothing is replaced in a here-document with " + word + " in quotes");
            }
            copy(1);
        }
    }

    /** The quotes are closed and opened again around what is replaced. */
    private void singleQuotes() {
        int opened = at;
        copy(1);
        while (at < text.length() && text.charAt(at) != '\'') {
            Optional<Mark> mark = marks.at(text, at);
            if (mark.isEmpty()) {
                copy(1);
                continue;
            }
            requireNoText(mark.get(), opened);
            out.append("'\"").append(mark.get().joined()).append("\"'");
            at = mark.get().end();
        }
        copy(1);
    }

    private void enterOrLeave(Frame frame) {
        if (frame() == frame) {
            leave(1);
        } else {
            enter(frame, 1);
        }
    }

    private void enter(Frame frame, int characters) {
        frames.push(new Opened(frame, at));
        copy(characters);
    }

    private void leave(int characters) {
        copy(characters);
        frames.pop();
    }

    private void copy(int characters) {
        int end = Math.min(text.length(), at + characters);
        out.append(text, at, end);
        at = end;
    }
}
