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
 * {@code {#}} the number of the task, {@code {%}} that of the slot on its node, and {@code {2}},
 * {@code {2.}}, ... for the second input source. {@code {local}} is the argument as a plain file of
 * the node, where that has it; the node says which in {@code $GF_LOCAL_1} and so on.
 *
 * <p>The command runs under /bin/sh. What replaces is handed to it as positional parameters, which
 * it keeps in variables of its own before the command begins; the command refers to these ({@link
 * ShellText}). An argument that is a farm path becomes the path below the node's own mount, {@code
 * $GF_MOUNT} there; so does {@code gf:/path} in the command itself, and {@code {mount}} is the
 * mount.
 */
public final class Template {
    static final String LOCAL = "local";
    private static final String LOCAL_VARIABLE = "GF_LOCAL_";
    private static final Pattern REPLACEMENT =
            Pattern.compile("\\{(#|%|[0-9]*(?:" + LOCAL + "|/\\.|//|/|\\.)?)}");
    private static final Pattern MOUNT = Pattern.compile("\\{mount}|(?<![\\w/])gf:(?=/)");
    private static final String MOUNT_REFERENCE = "${GF_MOUNT}";
    private static final String VARIABLE = "gf_";
    private static final int SOURCE_DIGITS_MAX = 3;

    private final String command;
    private final boolean isPlain;

    private Template(String command, boolean isPlain) {
        this.command = command;
        this.isPlain = isPlain;
    }

    /**
     * Words are joined by blanks, as the shell would see them; without any replacement string the
     * argument comes last.
     */
    public static Template of(List<String> words) {
        String joined = String.join(" ", words);
        return new Template(REPLACEMENT.matcher(joined).find() ? joined : joined + " {}", false);
    }

    /** The text of a shell that takes no argument. */
    public static Template plain(String text) {
        return new Template(text, true);
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
        filled.locals.forEach(path -> task.addLocals(raw(path)));
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
        String argument = String.join(" ", shown);
        if (task.getInputsCount() != 1 || !raw(argument).equals(task.getInputs(0))) {
            task.setArgument(raw(argument)); // else it is the input
        }
        return task.build();
    }

    /** As a person would have written it: for logs. */
    public String text(int number, List<Argument> arguments) {
        return isPlain
                ? command
                : REPLACEMENT
                        .matcher(command)
                        .replaceAll(found ->
                                Matcher.quoteReplacement(
                                        value(number, arguments, found.group(1))
                                                .orElse(found.group())));
    }

    private static Optional<String> value(int number, List<Argument> arguments, String code) {
        Filled filled = new Filled(number, arguments, false);
        if (code.equals("%")) {
            return Optional.empty();
        }
        return filled.mark(0, code)
                .map(_ -> {
                    List<String> words = new ArrayList<>();
                    filled.marked.forEach(value -> words.add(quote(value)));
                    return String.join(" ", words);
                });
    }

    private Filled fill(int number, List<Argument> arguments) {
        Filled filled = new Filled(number, arguments, isPlain);
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
        private final List<String> meanings = new ArrayList<>();
        private final List<String> locals = new ArrayList<>(); // paths in the farm
        private List<String> marked = List.of(); // what the last mark stands for
        private String command = "";
        private boolean needsMount;

        private final boolean isPlain;

        Filled(int number, List<Argument> arguments, boolean isPlain) {
            this.isPlain = isPlain;
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
            if (isPlain) {
                return Optional.empty();
            }
            Matcher matcher = REPLACEMENT.matcher(text).region(from, text.length());
            return matcher.lookingAt() ? mark(matcher.end(), matcher.group(1)) : Optional.empty();
        }

        private Optional<ShellText.Mark> mark(int end, String code) {
            if (code.equals("%")) {
                return Optional.of(new ShellText.Mark(end, List.of("${GF_SLOT}"), "", false));
            }
            if (code.equals("#")) {
                String text = Integer.toString(number);
                marked = List.of(text);
                String reference = "${" + VARIABLE + index("#", text) + "}";
                return Optional.of(new ShellText.Mark(end, List.of(reference), text, false));
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
                if (argument.isFarmPath() && part.equals(LOCAL)) {
                    references.add("${" + LOCAL_VARIABLE + local(value) + "}");
                    texts.add(value);
                    continue;
                }
                int variable = index(arguments.indexOf(argument) + part, value);
                references.add((below ? MOUNT_REFERENCE : "") + "${" + VARIABLE + variable + "}");
                texts.add(value);
            }
            marked = texts;
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

        private int local(String path) {
            int known = locals.indexOf(path);
            if (known >= 0) {
                return known + 1;
            }
            locals.add(path);
            return locals.size();
        }

        /**
         * From 1 on; what stands for the same has the same. So the script is the same for all tasks
         * of a job, whatever their values are.
         */
        private int index(String meaning, String value) {
            int known = meanings.indexOf(meaning);
            if (known >= 0) {
                return known + 1;
            }
            meanings.add(meaning);
            values.add(value);
            return values.size();
        }
    }
}
