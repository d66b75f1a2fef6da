package org.gridfarm.client.cli;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The names that Gfarm's users know, called through links: the command each stands for, with its
 * options said as that command says them; and those that have no meaning here, with what to use.
 */
final class GfarmNames {
    private static final Map<String, String> COMMANDS =
            Map.ofEntries(
                    Map.entry("gfls", "ls"),
                    Map.entry("gfreg", "put"),
                    Map.entry("gfexport", "cat"),
                    Map.entry("gfrm", "rm"),
                    Map.entry("gfmkdir", "mkdir"),
                    Map.entry("gfrmdir", "rmdir"),
                    Map.entry("gfmv", "mv"),
                    Map.entry("gfcp", "cp"),
                    Map.entry("gfpcopy", "cp"),
                    Map.entry("gfln", "ln"),
                    Map.entry("gfchmod", "chmod"),
                    Map.entry("gfchown", "chown"),
                    Map.entry("gfchgrp", "chgrp"),
                    Map.entry("gfwhere", "where"),
                    Map.entry("gfrep", "rep"),
                    Map.entry("gfncopy", "setrep"),
                    Map.entry("gfdf", "df"),
                    Map.entry("gfhost", "nodes"),
                    Map.entry("gfrun", "run"),
                    Map.entry("gfsched", "sched"),
                    Map.entry("gfstat", "stat"),
                    Map.entry("gfcksum", "sum"),
                    Map.entry("gfgetfacl", "getfacl"),
                    Map.entry("gfsetfacl", "setfacl"),
                    Map.entry("gfwhoami", "whoami"),
                    Map.entry("gfusage", "usage"),
                    Map.entry("gfquota", "quota"),
                    Map.entry("gfxattr", "getfattr"),
                    Map.entry("gfstatus", "status"),
                    Map.entry("gfmdhost", "nodes"));

    /** What to do instead, in one line. */
    private static final Map<String, String> INSTEAD =
            Map.ofEntries(
                    Map.entry(
                            "gfptar",
                            "small files need no packing here; tar c DIR | gf put - /x.tar makes an archive"),
                    Map.entry(
                            "gffindxmlattr",
                            "there are no XML attributes; gf find and gf getfattr look at files and their attributes"),
                    Map.entry(
                            "gfprep",
                            "gf setrep -R -w N PATH makes copies, gf rep --to NODE PATH one of them, gf node drain NODE empties a node"),
                    Map.entry(
                            "gfspoolpath",
                            "gf where PATH says which nodes hold a file; an object is objects/.../INODE.STRIPE.GENERATION there (gf stat has the numbers)"),
                    Map.entry(
                            "gflsof",
                            "gf nodes counts clients and leases; open files are not listed by name"),
                    Map.entry(
                            "gfuser",
                            "users are those of the grid-mapfile and of the metaserver's host: docs/security.md"),
                    Map.entry(
                            "gfgroup",
                            "groups are those of the metaserver's host: docs/security.md"),
                    Map.entry("gfedquota", "gf quota set --user NAME or --group NAME"),
                    Map.entry(
                            "gfdirquota",
                            "gf quota set --help: a directory tree has a quota as users have"),
                    Map.entry(
                            "gfhostgroup",
                            "a node's group is 'group' in its configuration; gf setrep --groups A:2,B:1 uses them"),
                    Map.entry(
                            "gfjournal",
                            "the journal is a table of PostgreSQL: docs/metadata.md; gf meta dump writes all of it"),
                    Map.entry(
                            "gfkey",
                            "there are no shared secrets: gf proxy init makes a proxy certificate"),
                    Map.entry(
                            "gftest",
                            "gf stat PATH ends with 66 where there is none; gf stat -c %F PATH prints its type"));

    private GfarmNames() {}

    /** All of them, for links. */
    static Set<String> all() {
        Set<String> names = new TreeSet<>(COMMANDS.keySet());
        names.addAll(INSTEAD.keySet());
        return names;
    }

    /** Why a name does nothing here; empty: it does. */
    static Optional<String> instead(String invoked) {
        return Optional.ofNullable(INSTEAD.get(invoked))
                .map(text -> invoked + ": not here: " + text);
    }

    /** The words of {@code gf} that say the same. */
    static String[] translated(String invoked, String[] arguments) {
        @Nullable String command = COMMANDS.get(invoked);
        if (command == null) {
            return arguments;
        }
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        switch (invoked) {
            case "gfpcopy" -> words.addFirst("-r");
            case "gfncopy" -> command = counted(words);
            case "gfrep" -> command = copied(words);
            case "gfrm" -> command = removed(words);
            case "gfxattr" -> command = attribute(words);
            case "gfquota" -> words.addFirst("show");
            case "gfusage" -> usage(words);
            case "gfcksum" -> replace(words, "-c", "--verify");
            default -> {
                return prepended(command, words);
            }
        }
        return prepended(command, words);
    }

    /** {@code gfncopy -s N PATH} sets; {@code gfncopy PATH} shows, as {@code gf stat} does. */
    private static String counted(List<String> words) {
        Optional<String> level = taken(words, "-s");
        Optional<String> groups = taken(words, "-S");
        replace(words, "-r", "-R");
        groups.ifPresent(text -> words.addAll(0, List.of("--groups", text)));
        if (level.isPresent()) {
            int at = 0;
            while (at < words.size() && words.get(at).startsWith("-")) {
                at += words.get(at).equals("--groups") ? 2 : 1;
            }
            words.add(at, level.get());
        } else if (groups.isEmpty() && words.stream().noneMatch(word -> word.matches("[0-9]+"))) {
            words.removeIf(word -> word.equals("-c") || word.equals("-v"));
            words.addAll(0, List.of("-c", "%r"));
            return "stat";
        }
        return "setrep";
    }

    /** {@code gfusage -g} is by group, {@code gfusage -u NAME} of one user. */
    private static void usage(List<String> words) {
        Optional<String> name = taken(words, "-u");
        if (words.remove("-g")) {
            words.addAll(List.of("--by", "group"));
        }
        name.ifPresent(user -> words.addAll(List.of("--user", user)));
    }

    /** {@code gfrep -N N PATH} is a level that holds when it returns. */
    private static String copied(List<String> words) {
        Optional<String> copies = taken(words, "-N");
        if (copies.isPresent()) {
            words.removeIf(word -> word.equals("-q") || word.equals("-v"));
            words.addAll(0, List.of("-R", "-w", copies.get()));
            return "setrep";
        }
        return "rep";
    }

    /** {@code gfrm -h NODE PATH} removes the copy there. */
    private static String removed(List<String> words) {
        Optional<String> node = taken(words, "-h");
        if (node.isPresent()) {
            words.addAll(0, List.of("--drop", node.get()));
            return "rep";
        }
        return "rm";
    }

    /** {@code gfxattr -s PATH NAME < VALUE}, {@code -g PATH NAME}, {@code -r}, {@code -l PATH}. */
    private static String attribute(List<String> words) {
        boolean sets = words.remove("-s");
        boolean removes = words.remove("-r");
        boolean lists = words.remove("-l");
        boolean gets = words.remove("-g");
        if (lists || words.size() != 2) {
            return "getfattr";
        }
        String path = words.getFirst();
        String name = words.getLast();
        words.clear();
        if (sets) {
            words.addAll(List.of("-n", name, "-v", "-", path));
            return "setfattr";
        }
        if (removes) {
            words.addAll(List.of("-x", name, path));
            return "setfattr";
        }
        words.addAll(gets ? List.of("-n", name, "--only-values", path) : List.of("-n", name, path));
        return "getfattr";
    }

    private static Optional<String> taken(List<String> words, String option) {
        int at = words.indexOf(option);
        if (at < 0 || at + 1 >= words.size()) {
            return Optional.empty();
        }
        words.remove(at);
        return Optional.of(words.remove(at));
    }

    private static void replace(List<String> words, String option, String other) {
        words.replaceAll(word -> word.equals(option) ? other : word);
    }

    private static String[] prepended(String command, List<String> words) {
        words.addFirst(command);
        return words.toArray(String[]::new);
    }
}
