package org.gridfarm.client.cli;

import org.gridfarm.client.cli.command.Nearest;
import org.gridfarm.client.cli.command.Subcommand;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The command line as a whole: what stands before the command, the list of commands, complaints.
 */
final class WholeLine {
    private static final String CONFIG = "--config";

    private WholeLine() {}

    /**
     * The command first: options of every command may stand before it, {@code help X} is {@code X
     * --help}, and {@code version} is {@code --version}.
     */
    static String[] ordered(String[] words) {
        List<String> before = new ArrayList<>();
        int at = 0;
        while (at < words.length) {
            if (words[at].equals(CONFIG) && at + 1 < words.length) {
                before.add(words[at++]);
            } else if (!words[at].startsWith(CONFIG + "=") && !words[at].equals("--json")) {
                break;
            }
            before.add(words[at++]);
        }
        if (at == words.length) {
            return words; // no command follows
        }
        List<String> ordered = new ArrayList<>(Arrays.asList(words).subList(at, words.length));
        boolean more = ordered.size() > 1;
        switch (ordered.getFirst()) {
            case "help" -> {
                return more ? new String[] {ordered.get(1), "--help"} : new String[] {"--help"};
            }
            case "version" -> {
                return new String[] {"--version"};
            }
            default -> {
                if (!before.isEmpty()) ordered.addAll(wordsOfCommand(ordered), before);
            }
        }
        return ordered.toArray(String[]::new);
    }

    /** The options are those of {@code quota set}, not of {@code quota}. */
    private static int wordsOfCommand(List<String> words) {
        Subcommand first = Subcommand.named(words.getFirst());
        boolean isOfTwo =
                first != null
                        && words.size() > 1
                        && new CommandLine(first.create())
                                .getSubcommands()
                                .containsKey(words.get(1));
        return isOfTwo ? 2 : 1;
    }

    /** Help lists the commands by what they are for. */
    static void describe(CommandLine line) {
        for (Subcommand subcommand : Subcommand.values()) {
            line.addSubcommand(subcommand.label(), subcommand.create());
        }
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, _ -> "");
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, WholeLine::list);
    }

    private static String list(Help help) {
        StringBuilder text = new StringBuilder();
        for (Subcommand.Group group : Subcommand.Group.values()) {
            text.append(String.format("%n%s%n", group.title()));
            for (Subcommand subcommand : Subcommand.values()) {
                if (subcommand.group() == group) {
                    Help of = Objects.requireNonNull(help.subcommands().get(subcommand.label()));
                    String[] header = of.commandSpec().usageMessage().header();
                    text.append(
                            String.format(
                                    "  %-10s %s%n",
                                    subcommand.label(), header.length == 0 ? "" : header[0]));
                }
            }
        }
        return text.toString();
    }

    /** One line that names what is wrong, and one with what was probably meant. */
    static String complaint(ParameterException failure, String[] words) {
        CommandSpec spec = failure.getCommandLine().getCommandSpec();
        String name = spec.qualifiedName();
        boolean unknown =
                words.length > 0 && Subcommand.named(words[0]) == null && !words[0].startsWith("-");
        String what =
                unknown ? "there is no command '" + words[0] + "'" : what(failure, spec, words);
        String line = name + ": " + what + " (see " + name + " --help)";
        Optional<String> meant =
                unknown
                        ? Subcommand.nearest(words[0]).map(near -> "gf " + near)
                        : option(failure, spec, words);
        return meant.map(near -> line + System.lineSeparator() + "gf: did you mean '" + near + "'?")
                .orElse(line);
    }

    private static Optional<String> option(
            ParameterException failure, CommandSpec spec, String[] words) {
        Optional<String> typed = stranger(failure, spec, words);
        List<String> names = new ArrayList<>(spec.optionsMap().keySet());
        names.removeIf(known -> !known.startsWith("--"));
        return typed.filter(word -> word.startsWith("--")).flatMap(word -> Nearest.of(word, names));
    }

    /** The option that the command has not; picocli complains of missing operands before it. */
    private static Optional<String> stranger(
            ParameterException failure, CommandSpec spec, String[] words) {
        if (failure instanceof UnmatchedArgumentException unmatched) {
            return unmatched.getUnmatched().stream()
                    .findFirst()
                    .filter(word -> word.startsWith("-") && word.length() > 1)
                    .map(WholeLine::bare);
        }
        if (!(failure instanceof MissingParameterException)) {
            return Optional.empty();
        }
        return Arrays.stream(words)
                .takeWhile(word -> !word.equals("--"))
                .filter(word -> word.startsWith("--"))
                .map(WholeLine::bare)
                .filter(word -> spec.findOption(word) == null)
                .findFirst();
    }

    private static String bare(String option) {
        return option.replaceFirst("=.*", "");
    }

    private static String what(ParameterException failure, CommandSpec spec, String[] words) {
        Optional<String> stranger = stranger(failure, spec, words);
        if (stranger.isPresent()) {
            return "there is no option '" + stranger.get() + "'";
        }
        if (failure instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing(missing.getMissing(), words);
        }
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String word = unmatched.getUnmatched().getFirst();
            return spec.subcommands().isEmpty()
                    ? "'" + word + "' is one word too many"
                    : "there is no '" + word + "': give one of " + subcommands(spec);
        }
        boolean isGroup = !spec.subcommands().isEmpty() && !(spec.userObject() instanceof Callable);
        return isGroup && failure.getClass() == ParameterException.class
                ? "give one of " + subcommands(spec)
                : message;
    }

    private static String subcommands(CommandSpec spec) {
        return spec.subcommands().values().stream()
                .map(CommandLine::getCommandName)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** An operand, an option, the value of an option, or one option of several. */
    private static String missing(List<ArgSpec> missing, String[] words) {
        ArgSpec first = missing.getFirst();
        if (first instanceof OptionSpec option
                && Arrays.stream(words).anyMatch(Set.of(option.names())::contains)) {
            return option.longestName() + " needs " + option.paramLabel();
        }
        List<String> labels = missing.stream().map(WholeLine::label).toList();
        ArgGroupSpec group = first.group();
        return group != null && group.exclusive() && labels.size() > 1
                ? "give one of " + String.join(", ", labels)
                : "give " + String.join(" ", labels);
    }

    private static String label(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return argument.paramLabel();
        }
        return option.arity().max() == 0
                ? option.longestName()
                : option.longestName() + " " + option.paramLabel();
    }
}
