package org.gridfarm.client.cli.make;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a file of rules. A rule begins with a line {@code rule}; its lines are {@code each},
 * {@code in}, {@code out} and {@code run}, each with what it says after blanks. {@code each} and
 * {@code in} may come several times. What follows {@code run} on lines that begin with a blank more
 * than it did goes on with the command. {@code #} begins a line that says nothing.
 */
final class MakeFile {
    private final String name;
    private final List<Rule> rules = new ArrayList<>();
    private int begun; // line of the rule at hand; 0: none
    private List<String> each = new ArrayList<>();
    private List<String> in = new ArrayList<>();
    private String out = "";
    private StringBuilder run = new StringBuilder();
    private int runIndent = -1; // while a command may go on

    private MakeFile(String name) {
        this.name = name;
    }

    static List<Rule> parse(String name, String text) {
        MakeFile file = new MakeFile(name);
        int number = 0;
        for (String line : text.split("\n", -1)) {
            file.line(++number, line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
        }
        file.endRule();
        if (file.rules.isEmpty()) {
            throw file.refused(1, "it has no rule: a rule begins with a line 'rule'");
        }
        return file.rules;
    }

    private void line(int number, String line) {
        String text = line.strip();
        int indent = line.length() - line.stripLeading().length();
        if (runIndent >= 0 && indent > runIndent && !text.isEmpty()) {
            run.append('\n').append(text);
            return;
        }
        if (text.isEmpty() || text.startsWith("#")) {
            return;
        }
        runIndent = -1;
        String[] parts = text.split("\\s+", 2);
        String value = parts.length == 2 ? parts[1] : "";
        if (parts[0].equals("rule") && value.isEmpty()) {
            endRule();
            begun = number;
            return;
        }
        if (begun == 0) {
            throw refused(number, "'" + parts[0] + "' stands before the first 'rule'");
        }
        if (value.isEmpty()) {
            throw refused(number, "nothing follows '" + parts[0] + "'");
        }
        switch (parts[0]) {
            case "each" -> each.add(path(number, value));
            case "in" -> in.add(path(number, value));
            case "out" -> {
                if (!out.isEmpty()) {
                    throw refused(number, "a rule has one 'out': a directory holds several files");
                }
                out = path(number, value);
            }
            case "run" -> {
                if (!run.isEmpty()) {
                    throw refused(number, "a rule has one 'run', which may have several lines");
                }
                run.append(value);
                runIndent = indent;
            }
            default ->
                    throw refused(number, "'" + parts[0] + "' is none of rule, each, in, out, run");
        }
    }

    private String path(int number, String value) {
        String path = value.startsWith("gf:/") ? value.substring("gf:".length()) : value;
        if (!path.startsWith("/") && !path.startsWith("{")) {
            throw refused(number, value + " is no path of the farm: it begins with /");
        }
        return path;
    }

    private void endRule() {
        if (begun == 0) {
            return;
        }
        if (out.isEmpty() || run.isEmpty()) {
            throw refused(begun, "the rule lacks " + (out.isEmpty() ? "'out'" : "'run'"));
        }
        rules.add(new Rule(begun, List.copyOf(each), List.copyOf(in), out, run.toString()));
        each = new ArrayList<>();
        in = new ArrayList<>();
        out = "";
        run = new StringBuilder();
        runIndent = -1;
        begun = 0;
    }

    private FarmException refused(int line, String why) {
        return new FarmException(ErrorKind.USAGE, "make", name + ":" + line, why);
    }
}
