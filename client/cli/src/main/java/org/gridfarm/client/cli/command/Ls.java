package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(name = "ls", header = "Lists directories and files.", mixinStandardHelpOptions = true)
public final class Ls implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "-l", description = "mode, replica level, owner, size and time of each")
    private boolean details;

    @Option(names = "-a", description = "names that begin with a dot, too")
    private boolean all;

    @Option(names = "-d", description = "the directory itself, not what is in it")
    private boolean itself;

    @Option(names = "-R", description = "everything below as well")
    private boolean recursive;

    @Parameters(paramLabel = "PATH", description = "in the farm; / if none", arity = "0..*")
    private List<String> paths = List.of("/");

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (String text : paths) {
                list(farm, FarmPath.of(text), paths.size() > 1 || recursive, documents);
            }
        }
        if (options.json) {
            Output.json(Map.of("entries", documents));
        }
        return 0;
    }

    private void list(
            Gridfarm farm, FarmPath path, boolean headed, List<Map<String, Object>> documents) {
        Attributes attributes = farm.stat(path).attributes();
        if (attributes.getType() != FileType.DIRECTORY || itself) {
            show(List.of(new Shown(path.toString(), path.toString(), attributes)), documents);
            return;
        }
        List<Shown> shown = new ArrayList<>();
        farm.list(path)
                .forEach(entry -> {
                    String name = entry.path().last().toString();
                    if (all || !name.startsWith(".")) {
                        shown.add(new Shown(name, entry.path().toString(), entry.attributes()));
                    }
                });
        shown.sort(Comparator.comparing(Shown::name));
        if (headed && !options.json) {
            System.out.println(Output.name(path.toString()) + ":");
        }
        show(shown, documents);
        if (recursive) {
            for (Shown one : shown) {
                if (one.attributes().getType() == FileType.DIRECTORY) {
                    list(farm, FarmPath.of(one.path()), true, documents);
                }
            }
        }
    }

    private record Shown(String name, String path, Attributes attributes) {}

    private void show(List<Shown> entries, List<Map<String, Object>> documents) {
        if (options.json) {
            entries.forEach(one -> documents.add(Describe.file(one.path(), one.attributes())));
            return;
        }
        if (!details) {
            entries.forEach(one -> System.out.println(Output.name(one.name())));
            return;
        }
        Output.Table table = Output.bare();
        for (Shown one : entries) {
            Attributes a = one.attributes();
            table.row(
                    Describe.mode(a),
                    a.getReplicasWanted(),
                    Describe.user(a.getUid()),
                    Describe.group(a.getGid()),
                    a.getSize(),
                    TIME.format(Instant.ofEpochSecond(0, a.getMtime())),
                    one.name());
        }
        table.print();
    }
}
