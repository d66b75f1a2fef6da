package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script that is submitted: it goes to the node as the text of its interpreter, which its first
 * line names. Lines that begin with {@code #GF}, before the first that is no comment, hold options.
 */
public record Script(String name, String text) {
    private static final int BYTES_MAX = 120 << 10; // the kernel takes 128 KiB in one argument
    private static final Pattern FIRST =
            Pattern.compile("#!\\s*(?:/usr/bin/env\\s+)?(\\S+)(?:\\s.*)?");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    public Script {
        requireText(name, text);
        if (text.length() > BYTES_MAX) {
            throw new FarmException(
                    ErrorKind.TOO_BIG,
                    "submit",
                    name,
                    "a script has at most %d KiB: put it into the farm and name it gf:/..."
                            .formatted(BYTES_MAX >> 10));
        }
    }

    /** What was compiled has zero bytes, and no argument can hold those. */
    private static void requireText(String name, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "submit",
                    name,
                    "it is a program and no script: submit a script that runs it");
        }
    }

    /** The options in it, word by word; quotes hold a word together. */
    public List<String> directives() {
        List<String> words = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            if (!line.startsWith("#") && !line.isBlank()) {
                break;
            }
            if (line.startsWith("#GF ") || line.startsWith("#GF\t")) {
                Matcher word = WORD.matcher(line.substring("#GF".length()));
                while (word.find()) {
                    words.add(
                            word.group(1) != null
                                    ? word.group(1)
                                    : word.group(2) != null ? word.group(2) : word.group(3));
                }
            }
        }
        return words;
    }

    /** Interpreter, text and arguments. */
    public List<String> command(List<String> arguments) {
        Matcher first = FIRST.matcher(text.lines().findFirst().orElse(""));
        String interpreter = first.matches() ? first.group(1) : "/bin/sh";
        String base = interpreter.substring(interpreter.lastIndexOf('/') + 1);
        List<String> command = new ArrayList<>(List.of(interpreter));
        if (base.matches("(ba|da|k|z)?sh")) {
            command.addAll(List.of("-c", text, name));
        } else if (base.matches("python[0-9.]*")) {
            command.addAll(List.of("-c", text));
        } else if (base.matches("perl|ruby")) {
            command.addAll(List.of("-e", text));
        } else {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "submit",
                    name,
                    interpreter
                            + " takes no text: put the script into the farm and name it gf:/...");
        }
        command.addAll(arguments);
        return command;
    }
}
