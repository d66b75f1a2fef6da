package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command with replacement strings: {@code {}} the argument, {@code {.}} without its extension,
 * {@code {/}} its last name, {@code {//}} its directory, {@code {/.}} last name without extension,
 * {@code {#}} the number of the task, and {@code {2}}, {@code {2.}}, ... for the second input
 * source.
 *
 * <p>The command runs under /bin/sh. What replaces is handed to it as positional parameters, which
 * it keeps in variables of its own before the command begins; the command refers to these ({@link
 * ShellText}). An argument that is a farm path becomes the path below the node's own mount, {@code
 * $GF_MOUNT} there; so does {@code gf:/path} in the command itself, and {@code {mount}} is the
 * mount.
 */
public final class Template {
    private static final Pattern REPLACEMENT =
            Pattern.compile("\\{(#|%|[0-9]*(?:/\\.|//|/|\\.)?)}");
    private static final Pattern MOUNT = Pattern.compile("\\{mount}|(?<![\\w/])gf:(?=/)");
    private static final String MOUNT_REFERENCE = "${GF_MOUNT}";
    private static final String VARIABLE = "gf_";
    private static final int SOURCE_DIGITS_MAX = 3;

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
        Filled filled = fill(number, arguments);
        TaskSpec.Builder task =
                TaskSpec.newBuilder()
                        .addArgv(raw("/bin/sh"))
                        .addArgv(raw("-c"))
                        .addArgv(raw(filled.script()))
                        .setNeedsMount(filled.needsMount);
        if (!filled.values.isEmpty()) {
            task.addArgv(raw("sh"));
            filled.values.forEach(value -> task.addArgv(raw(value)));
        }
        List<String> shown = new ArrayList<>();
        for (Argument argument : arguments) {
            shown.add(argument.text());
            if (argument.isFarmPath()) {
                task.addInputs(raw(argument.path()));
            }
        }
        return task.setArgument(raw(String.join(" ", shown))).build();
    }

    /** As a person could give it to a shell that knows the mount. */
    public String shown(int number, List<Argument> arguments) {
        Filled filled = fill(number, arguments);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < filled.values.size(); i++) {
            text.append(VARIABLE).append(i + 1).append('=');
            text.append(quote(filled.values.get(i))).append("; ");
        }
        return text.append(filled.command).toString();
    }

    private Filled fill(int number, List<Argument> arguments) {
        Filled filled = new Filled(number, arguments);
        filled.command = ShellText.replace(command, filled);
        return filled;
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }

    /** As one word of the shell. */
    private static String quote(String text) {
        if (!text.isEmpty() && text.matches("[A-Za-z0-9_@%+=:,./-]*")) {
            return text;
        }
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** The command for one combination of arguments. */
    private static final class Filled implements ShellText.Marks {
        private final int number;
        private final List<Argument> arguments;
        private final List<String> values = new ArrayList<>();
        private String command = "";
        private boolean needsMount;

        Filled(int number, List<Argument> arguments) {
            this.number = number;
            this.arguments = arguments;
        }

        /** The parameters are in variables first: a command may have parameters of its own. */
        String script() {
            if (values.isEmpty()) {
                return command;
            }
            StringBuilder script = new StringBuilder();
            for (int i = 1; i <= values.size(); i++) {
                script.append(VARIABLE + i + "=${" + i + "} ");
            }
            return script.append("; shift ")
                    .append(values.size())
                    .append("; ")
                    .append(command)
                    .toString();
        }

        @Override
        public Optional<ShellText.Mark> at(String text, int from) {
            Matcher mount =
                    MOUNT.matcher(text).region(from, text.length()).useTransparentBounds(true);
            if (mount.lookingAt()) {
                needsMount = true;
                return Optional.of(
                        new ShellText.Mark(
                                mount.end(), List.of(MOUNT_REFERENCE), "{mount}", false));
            }
            Matcher matcher = REPLACEMENT.matcher(text).region(from, text.length());
            return matcher.lookingAt() ? mark(matcher.end(), matcher.group(1)) : Optional.empty();
        }

        private Optional<ShellText.Mark> mark(int end, String code) {
            if (code.equals("#") || code.equals("%")) {
                String text = Integer.toString(number);
                return Optional.of(new ShellText.Mark(end, List.of(text), text, false));
            }
            int digits = 0;
            while (digits < code.length() && Character.isDigit(code.charAt(digits))) {
                digits++;
            }
            List<Argument> wanted = wanted(code.substring(0, digits));
            if (wanted.isEmpty()) {
                return Optional.empty(); // stays as it is
            }
            String part = code.substring(digits);
            List<String> references = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            boolean isName = false;
            for (Argument argument : wanted) {
                String value = argument.part(part);
                boolean below = argument.isBelowMount(part);
                needsMount |= below;
                isName |= argument.isFarmPath();
                references.add(
                        (below ? MOUNT_REFERENCE : "") + "${" + VARIABLE + index(value) + "}");
                texts.add(value);
            }
            return Optional.of(
                    new ShellText.Mark(end, references, String.join(" ", texts), isName));
        }

        private List<Argument> wanted(String source) {
            if (source.isEmpty()) {
                return arguments;
            }
            int index = source.length() > SOURCE_DIGITS_MAX ? 0 : Integer.parseInt(source);
            return index >= 1 && index <= arguments.size()
                    ? List.of(arguments.get(index - 1))
                    : List.of();
        }

        /** From 1 on; the same value has the same. */
        private int index(String value) {
            int known = values.indexOf(value);
            if (known >= 0) {
                return known + 1;
            }
            values.add(value);
            return values.size();
        }
    }
}
