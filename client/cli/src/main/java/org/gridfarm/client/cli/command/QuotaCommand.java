package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

@Command(
        name = "quota",
        header = "Shows and sets how much users, groups and directory trees may use.",
        description = {
            "",
            "Bytes are those of files, physical bytes those of all copies their levels ask for, inodes are files and directories. A hard limit is never passed;"
                    + " a soft one may be for the time of grace. A directory does not leave or enter a tree with a quota by renaming (EXDEV: mv copies)."
        },
        mixinStandardHelpOptions = true)
public final class QuotaCommand {
    /** Whose quota. */
    static final class Whose {
        @Option(names = "--user", paramLabel = "NAME", description = "a user, by name or number")
        @Nullable String user;

        @Option(names = "--group", paramLabel = "NAME", description = "a group, by name or number")
        @Nullable String group;

        @Option(names = "--dir", paramLabel = "PATH", description = "a directory and all below it")
        @Nullable String directory;

        void put(Map<String, String> arguments) {
            arguments.put("kind", user != null ? "user" : group != null ? "group" : "directory");
            String name = user != null ? user : group != null ? group : directory;
            arguments.put("name", name == null ? "" : name);
        }
    }

    @Command(
            name = "show",
            header =
                    "Shows limits and what is used of them; without a name your own, or all limits for an administrator.",
            mixinStandardHelpOptions = true)
    int show(
            @Mixin FarmOptions options,
            @ArgGroup(exclusive = true) @Nullable Whose whose,
            @Option(names = "--all", description = "also whoever has no limit") boolean all,
            @Option(names = "-b", description = "bytes instead of rounded units") boolean exact) {
        Map<String, String> arguments = new LinkedHashMap<>();
        if (whose != null) whose.put(arguments);
        if (all) arguments.put("all", "yes");
        try (Gridfarm farm = options.connect()) {
            print(AdminCalls.call(farm, "quota-show", arguments), options.json, exact);
        }
        return 0;
    }

    @Command(
            name = "set",
            header = "Sets limits; those not named stay.",
            description = {
                "",
                "LIMIT is HARD or SOFT:HARD, in bytes or with K, M, G, T, P (1024 each); 0 is no limit.",
                "Example: gf quota set --user alice --bytes 900G:1T --inodes 2000000"
            },
            mixinStandardHelpOptions = true)
    int set(
            @Mixin FarmOptions options,
            @ArgGroup(exclusive = true, multiplicity = "1") Whose whose,
            @Option(names = "--bytes", paramLabel = "LIMIT", description = "bytes of files")
                    @Nullable String bytes,
            @Option(names = "--physical", paramLabel = "LIMIT", description = "bytes of all copies")
                    @Nullable String physical,
            @Option(names = "--inodes", paramLabel = "LIMIT", description = "files and directories")
                    @Nullable String inodes,
            @Option(
                            names = "--grace",
                            paramLabel = "TIME",
                            description = "how long a soft limit may be passed: 90s, 12h, 7d (7d)")
                    @Nullable String grace,
            @Option(names = "--none", description = "no limits any more") boolean none) {
        Map<String, String> arguments = new LinkedHashMap<>();
        whose.put(arguments);
        limit(arguments, "bytes", bytes);
        limit(arguments, "physical", physical);
        limit(arguments, "inodes", inodes);
        if (grace != null) arguments.put("grace-seconds", Long.toString(seconds(grace)));
        if (none) arguments.put("none", "yes");
        if (arguments.size() == 2) {
            throw new FarmException(
                    ErrorKind.USAGE, "quota set", "", "name a limit, --grace or --none");
        }
        try (Gridfarm farm = options.connect()) {
            print(AdminCalls.call(farm, "quota-set", arguments), options.json, false);
        }
        return 0;
    }

    @Command(
            name = "check",
            header = "Counts everything anew and compares; with --repair the new count holds.",
            description = {"", "Exit status 0: usage is counted right; 1: it was not."},
            mixinStandardHelpOptions = true)
    int check(
            @Mixin FarmOptions options,
            @Option(names = "--repair", description = "let the new count hold") boolean repair) {
        try (Gridfarm farm = options.connect()) {
            JsonNode found =
                    AdminCalls.call(
                            farm, "quota-check", repair ? Map.of("repair", "yes") : Map.of());
            JsonNode wrong = found.get("wrong");
            if (options.json) {
                Output.json(found);
            } else {
                wrong.forEach(one ->
                        System.out.println(
                                one.get("kind").asString()
                                        + " "
                                        + one.get("id").asLong()
                                        + ": counted "
                                        + one.get("counted")
                                        + ", true "
                                        + one.get("true")));
                System.out.println(
                        found.get("subjects").asLong() + " counted, " + wrong.size() + " wrong");
            }
            return wrong.isEmpty() ? 0 : 1;
        }
    }

    private static void limit(Map<String, String> arguments, String what, @Nullable String text) {
        if (text == null) return;
        String[] parts = text.split(":", -1);
        if (parts.length > 2) throw wrong(text);
        arguments.put(what + "-hard", Long.toString(amount(parts[parts.length - 1])));
        if (parts.length == 2) arguments.put(what + "-soft", Long.toString(amount(parts[0])));
    }

    private static FarmException wrong(String text) {
        return new FarmException(
                ErrorKind.USAGE, "quota", text, "needs HARD or SOFT:HARD, such as 900G:1T");
    }

    private static long amount(String text) {
        if (!text.matches("[0-9]{1,15}[KMGTP]?")) throw wrong(text);
        int unit = "KMGTP".indexOf(text.charAt(text.length() - 1)) + 1;
        String digits = unit == 0 ? text : text.substring(0, text.length() - 1);
        try {
            return Math.multiplyExact(Long.parseLong(digits), 1L << (10 * unit));
        } catch (ArithmeticException e) {
            throw new FarmException(ErrorKind.USAGE, "quota", text, "is too large", e);
        }
    }

    private static long seconds(String text) {
        if (!text.matches("[0-9]{1,9}[smhd]")) {
            throw new FarmException(
                    ErrorKind.USAGE, "quota --grace", text, "needs a number and s, m, h or d");
        }
        long number = Long.parseLong(text.substring(0, text.length() - 1));
        return number
                * switch (text.charAt(text.length() - 1)) {
                    case 'm' -> 60;
                    case 'h' -> 3_600;
                    case 'd' -> 86_400;
                    default -> 1;
                };
    }

    private static void print(JsonNode found, boolean json, boolean exact) {
        if (json) {
            Output.json(found);
            return;
        }
        Output.Table table = Output.table("WHOSE", "WHAT", "USED", "SOFT", "HARD", "GRACE UNTIL");
        for (JsonNode quota : found.get("quotas")) {
            String whose =
                    quota.has("path")
                            ? quota.get("path").asString()
                            : quota.get("kind").asString() + " " + quota.get("id").asLong();
            long until = quota.get("grace_until_seconds").asLong();
            for (String what : new String[] {"bytes", "physical", "inodes"}) {
                JsonNode amount = quota.get(what);
                boolean plain = exact || what.equals("inodes");
                boolean over =
                        amount.get("soft").asLong() > 0
                                && amount.get("used").asLong() > amount.get("soft").asLong();
                table.row(
                        whose,
                        what,
                        shown(amount.get("used").asLong(), plain),
                        limitShown(amount.get("soft").asLong(), plain),
                        limitShown(amount.get("hard").asLong(), plain),
                        over ? Instant.ofEpochSecond(until).toString() : "-");
            }
        }
        table.print();
    }

    private static String limitShown(long value, boolean plain) {
        return value == 0 ? "-" : shown(value, plain);
    }

    private static String shown(long value, boolean plain) {
        return plain ? Long.toString(value) : Output.bytes(value);
    }
}
