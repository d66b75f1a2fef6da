package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The words of {@code gf run} taken apart: the command, and input sources begun by {@code :::}
 * (values), {@code ::::} (files of values, "-" is stdin) and linked to the source before by a
 * further {@code +}. Unlinked sources are combined each with each.
 */
public record Sources(List<String> command, List<List<List<Argument>>> groups) {

    /** Globs in farm paths are expanded by {@code glob}; {@code lines} reads a file of values. */
    public static Sources parse(
            List<String> words,
            Function<String, List<String>> glob,
            Function<String, List<String>> lines) {
        return parse(words, new Reading(glob, lines, Argument::of, false));
    }

    /**
     * How input sources are read.
     *
     * @param glob the paths of the farm that match a pattern
     * @param lines those of a file of this host
     * @param argument what a word stands for
     * @param link whether all sources are taken together, one value of each
     */
    public record Reading(
            Function<String, List<String>> glob,
            Function<String, List<String>> lines,
            Function<String, Argument> argument,
            boolean link) {}

    public static Sources parse(List<String> words, Reading reading) {
        List<String> command = new ArrayList<>();
        List<List<List<Argument>>> groups = new ArrayList<>();
        int i = 0;
        while (i < words.size() && !isMark(words.get(i))) {
            command.add(words.get(i++));
        }
        while (i < words.size()) {
            String mark = words.get(i++);
            List<Argument> values = new ArrayList<>();
            while (i < words.size() && !isMark(words.get(i))) {
                String word = words.get(i++);
                List<String> texts =
                        mark.startsWith("::::") ? reading.lines().apply(word) : List.of(word);
                for (String text : texts) {
                    expand(text, reading, values);
                }
            }
            if ((mark.endsWith("+") || reading.link()) && !groups.isEmpty()) {
                groups.get(groups.size() - 1).add(values);
            } else {
                groups.add(new ArrayList<>(List.of(values)));
            }
        }
        if (command.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "run", "", "no command; example: gf run 'wc -l {}' ::: /in/*");
        }
        return new Sources(command, groups);
    }

    /** So many values of the only source at a time. */
    public List<List<Argument>> combinations(int each) {
        List<List<Argument>> all = combinations();
        if (each <= 1 || groups.isEmpty()) {
            return all;
        }
        if (groups.size() > 1 || groups.getFirst().size() > 1) {
            throw new FarmException(ErrorKind.USAGE, "run", "-n " + each, "takes one input source");
        }
        List<Argument> values = groups.getFirst().getFirst();
        List<List<Argument>> chunks = new ArrayList<>();
        for (int from = 0; from < values.size(); from += each) {
            chunks.add(values.subList(from, Math.min(values.size(), from + each)));
        }
        return chunks;
    }

    /** Every combination of arguments, the last source changing fastest. */
    public List<List<Argument>> combinations() {
        List<List<Argument>> all = List.of(List.of());
        for (List<List<Argument>> linked : groups) {
            int longest = linked.stream().mapToInt(List::size).max().orElse(0);
            List<List<Argument>> next = new ArrayList<>();
            for (List<Argument> before : all) {
                for (int row = 0; row < longest; row++) {
                    List<Argument> combined = new ArrayList<>(before);
                    for (List<Argument> source : linked) {
                        if (source.isEmpty()) {
                            continue;
                        }
                        combined.add(source.get(row % source.size()));
                    }
                    next.add(combined);
                }
            }
            all = next;
        }
        return all;
    }

    /** Each ends with a newline, the last one perhaps without; every other character is part. */
    public static List<String> lines(String list) {
        String text = list.endsWith("\n") ? list.substring(0, list.length() - 1) : list;
        return list.isEmpty() ? List.of() : List.of(text.split("\n", -1));
    }

    private static boolean isMark(String word) {
        return word.equals(":::")
                || word.equals("::::")
                || word.equals(":::+")
                || word.equals("::::+");
    }

    private static void expand(String text, Reading reading, List<Argument> into) {
        Argument argument = reading.argument().apply(text);
        boolean pattern = argument.isFarmPath() && argument.path().matches("(?s).*[*?\\[].*");
        if (!pattern) {
            into.add(argument);
            return;
        }
        List<String> found = reading.glob().apply(argument.path());
        if (found.isEmpty()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "run", text, "matches nothing in the farm");
        }
        found.forEach(path -> into.add(Argument.of(path)));
    }
}
