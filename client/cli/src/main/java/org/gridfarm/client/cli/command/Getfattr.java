package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "getfattr",
        header = "Shows extended attributes.",
        description = {
            "",
            "Without -n: those that begin with user.; with -d their values, too. What is no text is shown in hexadecimal, 0x...",
            "gf.replicas and others that begin with gf. show how the farm keeps a file."
        },
        footer = {
            "",
            "Examples:",
            "  gf getfattr -d /in/x.dat",
            "  gf getfattr -n user.instrument --only-values /in/x.dat"
        })
public final class Getfattr implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "this one")
    private String name = "";

    @Option(
            names = {"-d", "--dump"},
            description = "with the values")
    private boolean values;

    @Option(
            names = {"-m", "--match"},
            paramLabel = "BEGIN",
            defaultValue = "user.",
            description = "names that begin so (${DEFAULT-VALUE}); '-' is all")
    private String match = "user.";

    @Option(names = "--only-values", description = "nothing but the values, as they are")
    private boolean bare;

    @Mixin private HelpOption help = new HelpOption();

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            each.path(farm, paths, path -> documents.add(show(farm, path)));
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        System.out.flush();
        return each.exitCode();
    }

    private Map<String, Object> show(Gridfarm farm, FarmPath path) {
        Map<String, String> found = new LinkedHashMap<>();
        List<String> names = name.isEmpty() ? farm.listXattr(path) : List.of(name);
        String begin = match.equals("-") ? "" : match;
        for (String one : names) {
            if (!name.isEmpty() || one.startsWith(begin)) {
                Optional<byte[]> value = farm.getXattr(path, one);
                if (value.isEmpty() && !name.isEmpty()) {
                    throw new FarmException(
                            ErrorKind.NO_ATTRIBUTE, "getfattr", path.toString(), name);
                }
                value.ifPresent(bytes -> found.put(one, shown(bytes)));
                if (bare && value.isPresent()) {
                    System.out.write(value.get(), 0, value.get().length);
                }
            }
        }
        if (!bare && !options.json && !found.isEmpty()) {
            System.out.println("# file: " + Output.name(path.toString()));
            boolean shows = values || !name.isEmpty();
            found.forEach((key, value) ->
                    System.out.println(
                            shows ? key + "=" + (isHex(value) ? value : quoted(value)) : key));
            System.out.println();
        }
        return Map.of("path", path.toString(), "attributes", found);
    }

    private static boolean isHex(String value) {
        return value.startsWith("0x");
    }

    private static String quoted(String value) {
        return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /** Text where it is text, else 0x and the bytes; what begins with 0x is shown so as well. */
    private static String shown(byte[] value) {
        String text = NameText.of(value);
        boolean plain =
                NameText.shown(text).equals(text)
                        && text.chars().noneMatch(c -> c < ' ' && c != '\t' && c != '\n')
                        && !text.startsWith("0x");
        return plain ? text : "0x" + HexFormat.of().formatHex(value);
    }
}
