package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "stat",
        header = "Shows all attributes of files.",
        description = {
            "",
            "FORMAT knows %n name, %s size, %a mode in octal, %A mode in letters, %F type, %u %g numbers and %U %G names of owner and group,",
            "%h names, %i inode (decimal), %x %y %z times of access, modification and change, and %X %Y %Z the same in seconds, %r replica level,",
            "%v generation, %% a percent sign, and \\n and \\t."
        },
        footer = {"", "Example:", "  gf stat -c '%s %y %n' '/in/*'"},
        mixinStandardHelpOptions = true)
public final class Stat implements Callable<Integer> {
    private static final long NANOS = 1_000_000_000L;

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-L", "--dereference"},
            description = "what a symbolic link leads to")
    private boolean follow;

    @Option(
            names = {"-c", "--format"},
            paramLabel = "FORMAT",
            description = "this for each file, on a line of its own")
    private String format = "";

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (FarmPath path : Operands.here().paths(farm, paths)) {
                Attributes a = (follow ? farm.stat(path) : farm.statLink(path)).attributes();
                if (options.json) {
                    documents.add(Describe.file(path.toString(), a));
                } else if (!format.isEmpty()) {
                    System.out.println(formatted(format, path, a));
                } else {
                    print(path, a);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return 0;
    }

    private static String formatted(String format, FarmPath path, Attributes a) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            boolean last = i == format.length() - 1;
            if (c == '%' && !last) {
                text.append(directive(format.charAt(++i), path, a));
            } else if (c == '\\' && !last) {
                char escaped = format.charAt(++i);
                text.append(escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped);
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    private static Object directive(char letter, FarmPath path, Attributes a) {
        return switch (letter) {
            case 'n' -> path;
            case 's' -> a.getSize();
            case 'a' -> Integer.toOctalString(a.getMode());
            case 'A' -> Describe.mode(a);
            case 'F' -> Describe.type(a.getType());
            case 'u' -> Integer.toUnsignedString(a.getUid());
            case 'g' -> Integer.toUnsignedString(a.getGid());
            case 'U' -> Describe.user(a.getUid());
            case 'G' -> Describe.group(a.getGid());
            case 'h' -> a.getNlink();
            case 'i' -> a.getInode();
            case 'x' -> Instant.ofEpochSecond(0, a.getAtime());
            case 'y' -> Instant.ofEpochSecond(0, a.getMtime());
            case 'z' -> Instant.ofEpochSecond(0, a.getCtime());
            case 'X' -> Math.floorDiv(a.getAtime(), NANOS);
            case 'Y' -> Math.floorDiv(a.getMtime(), NANOS);
            case 'Z' -> Math.floorDiv(a.getCtime(), NANOS);
            case 'r' -> a.getReplicasWanted();
            case 'v' -> a.getGeneration();
            case '%' -> '%';
            default ->
                    throw new FarmException(
                            ErrorKind.USAGE, "stat", "%" + letter, "the format has no such letter");
        };
    }

    private static void print(FarmPath path, Attributes a) {
        System.out.println("  File: " + path);
        System.out.printf(
                "  Size: %d  %s%n Inode: %x  Links: %d  Generation: %d  Replicas: %d%n",
                a.getSize(),
                Describe.type(a.getType()),
                a.getInode(),
                a.getNlink(),
                a.getGeneration(),
                a.getReplicasWanted());
        System.out.printf(
                "Access: (%04o/%s)  Uid: %d/%s  Gid: %d/%s%n",
                a.getMode(),
                Describe.mode(a),
                a.getUid(),
                Describe.user(a.getUid()),
                a.getGid(),
                Describe.group(a.getGid()));
        System.out.println("Access: " + Instant.ofEpochSecond(0, a.getAtime()));
        System.out.println("Modify: " + Instant.ofEpochSecond(0, a.getMtime()));
        System.out.println("Change: " + Instant.ofEpochSecond(0, a.getCtime()));
    }
}
