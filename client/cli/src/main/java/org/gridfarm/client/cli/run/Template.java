package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command with replacement strings: {@code {}} the argument, {@code {.}} without its extension,
 * {@code {/}} its last name, {@code {//}} its directory, {@code {/.}} last name without extension,
 * {@code {#}} the number of the task, and {@code {2}}, {@code {2.}}, ... for the second input
 * source.
 *
 * <p>The command runs under /bin/sh with every replacement quoted as one word. An argument that is
 * a farm path becomes the path below the node's own mount, marked by {@value #MOUNT}; so does a
 * word {@code gf:/path} in the command itself.
 */
public final class Template {
    /** Stands for the mount point until the node puts its own there. */
    public static final String MOUNT = "{mount}";

    private static final Pattern REPLACEMENT =
            Pattern.compile("\\{(#|%|[0-9]*(?:/\\.|//|/|\\.)?)}");
    private static final Pattern FARM_WORD =
            Pattern.compile("(?<![\\w/])gf:(/[^\\s'\"`;|&<>()$\\\\]*)");

    private final String command;

    private Template(String command) {
        this.command = command;
    }

    /**
     * Words are joined by blanks, as the shell would see them; without any replacement string the
     * argument comes last.
     */
    public static Template of(List<String> words) {
        String joined = String.join(" ", words);
        return new Template(REPLACEMENT.matcher(joined).find() ? joined : joined + " {}");
    }

    /** A command that takes no argument at all. */
    public static Template plain(List<String> words) {
        return new Template(String.join(" ", words));
    }

    /** The task for one combination of arguments, one from each source; the first is number 1. */
    public TaskSpec task(int number, List<Argument> arguments) {
        TaskSpec.Builder task =
                TaskSpec.newBuilder()
                        .addArgv(raw("/bin/sh"))
                        .addArgv(raw("-c"))
                        .addArgv(raw(expand(number, arguments)));
        List<String> shown = new ArrayList<>();
        for (Argument argument : arguments) {
            shown.add(argument.text());
            if (argument.isFarmPath()) {
                task.addInputs(raw(argument.path()));
            }
        }
        return task.setArgument(raw(String.join(" ", shown))).build();
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }

    String expand(int number, List<Argument> arguments) {
        // Words of the command are marked first: what an argument holds is data and stays as it is.
        String marked =
                FARM_WORD
                        .matcher(command)
                        .replaceAll(m -> Matcher.quoteReplacement(MOUNT + m.group(1)));
        return REPLACEMENT
                .matcher(marked)
                .replaceAll(m -> Matcher.quoteReplacement(replace(m.group(1), number, arguments)));
    }

    private static String replace(String code, int number, List<Argument> arguments) {
        if (code.equals("#") || code.equals("%")) {
            return Integer.toString(number);
        }
        int digits = 0;
        while (digits < code.length() && Character.isDigit(code.charAt(digits))) {
            digits++;
        }
        String part = code.substring(digits);
        if (digits > 0) {
            int source = Integer.parseInt(code.substring(0, digits));
            return source >= 1 && source <= arguments.size()
                    ? quote(arguments.get(source - 1).part(part))
                    : "{" + code + "}";
        }
        List<String> values = new ArrayList<>();
        for (Argument argument : arguments) {
            values.add(quote(argument.part(part)));
        }
        return String.join(" ", values);
    }

    /** As one word of the shell. */
    static String quote(String text) {
        if (!text.isEmpty() && text.matches("[A-Za-z0-9_@%+=:,./{}-]*")) {
            return text;
        }
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
