package org.gridfarm.client.cli;

import org.gridfarm.test.tidy.Checkout;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** docs/json.md as a test reads it: which command's document has which definition. */
record DocumentIndex(Map<String, String> definitions) {
    private static final Pattern LINE =
            Pattern.compile("^\\| (`gf [^|]*) \\| \\[(\\w+)]\\(schema/gf\\.json\\) \\| .+ \\|$");
    private static final Pattern COMMAND = Pattern.compile("`gf ([^`]+)`");

    static DocumentIndex read() throws IOException {
        Map<String, String> definitions = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Checkout.root().resolve("docs/json.md"))) {
            Matcher row = LINE.matcher(line);
            if (row.matches()) {
                COMMAND.matcher(row.group(1))
                        .results()
                        .forEach(one -> definitions.put(one.group(1), row.group(2)));
            }
        }
        return new DocumentIndex(definitions);
    }

    /** Those that have the option, such as {@code quota set}. */
    static List<String> commandsWithDocuments() {
        List<String> found = new ArrayList<>();
        Gf.line().getSubcommands().forEach((name, command) -> collect(name, command, found));
        return found;
    }

    private static void collect(String name, CommandLine command, List<String> found) {
        if (command.getCommandSpec().findOption("--json") != null) found.add(name);
        command.getSubcommands().forEach((word, below) -> collect(name + " " + word, below, found));
    }

    /** Whether a row is about the command, or about it with further words. */
    static boolean isOf(String row, String command) {
        return row.equals(command) || row.startsWith(command + " ");
    }
}
