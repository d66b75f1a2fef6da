package org.gridfarm.client.cli.manual;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One command as a page of man(7). Pure. */
final class ManualPage {
    private final CommandSpec command;

    ManualPage(CommandSpec command) {
        this.command = command;
    }

    String name() {
        return command.qualifiedName("-");
    }

    String text() {
        StringBuilder page = new StringBuilder();
        String title = name();
        page.append(".TH ").append(title.toUpperCase(Locale.ROOT)).append(" 1 \"\" Gridfarm\n");
        page.append(".SH NAME\n").append(title).append(" \\- ").append(headline()).append('\n');
        CommandLine.Help help = new CommandLine.Help(command, Ansi.OFF);
        page.append(".SH SYNOPSIS\n.nf\n").append(text(help.synopsis(0))).append(".fi\n");
        String[] description = command.usageMessage().description();
        if (description.length > 0) {
            page.append(".SH DESCRIPTION\n.nf\n");
            for (String line : description)
                page.append(text(line.replace("%n", "\n"))).append('\n');
            page.append(".fi\n");
        }
        List<OptionSpec> options = command.options().stream().filter(o -> !o.hidden()).toList();
        if (!options.isEmpty() || !command.positionalParameters().isEmpty()) {
            page.append(".SH OPTIONS\n");
            command.positionalParameters().forEach(one -> entry(page, one.paramLabel(), one));
            for (OptionSpec option : options) {
                String label = String.join(", ", option.names());
                boolean flag = option.arity().max() == 0;
                entry(page, flag ? label : label + " " + option.paramLabel(), option);
            }
        }
        if (!command.subcommands().isEmpty()) {
            page.append(".SH COMMANDS\n");
            command.subcommands()
                    .values()
                    .forEach(one -> {
                        CommandSpec spec = one.getCommandSpec();
                        page.append(".TP\n.B ").append(text(spec.name())).append('\n');
                        page.append(text(new ManualPage(spec).headline())).append('\n');
                    });
        }
        return page.toString();
    }

    private String headline() {
        return text(String.join(" ", command.usageMessage().header()));
    }

    private static void entry(StringBuilder page, String label, ArgSpec argument) {
        page.append(".TP\n.B ").append(text(label)).append('\n');
        String value = argument.defaultValue() == null ? "" : argument.defaultValue();
        String description =
                String.join(" ", Arrays.asList(argument.description()))
                        .replace("${DEFAULT-VALUE}", value);
        page.append(description.isEmpty() ? "\\&" : text(description)).append('\n');
    }

    /** As roff prints it: backslashes and hyphens as they are, no line taken for a request. */
    private static String text(String plain) {
        return plain.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
    }
}
