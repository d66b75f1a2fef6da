package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "tree",
        header = "Draws directories with what is below them.",
        mixinStandardHelpOptions = true)
public final class TreeCommand implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "-a", description = "also names that begin with a dot")
    private boolean all;

    @Option(names = "-d", description = "only directories")
    private boolean onlyDirectories;

    @Option(
            names = {"-L", "--level"},
            paramLabel = "COUNT",
            description = "directories so far below PATH")
    private int deepest = Integer.MAX_VALUE;

    @Option(names = "-s", description = "with sizes")
    private boolean sizes;

    @Parameters(arity = "0..*", paramLabel = "PATH", description = "in the farm; / if none")
    private List<String> paths = List.of("/");

    private long directories;
    private long files;

    @Override
    public Integer call() {
        Each each = new Each();
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            each.path(
                    farm,
                    paths,
                    path -> {
                        FileInfo root = farm.stat(path);
                        if (!options.json) {
                            System.out.println(Output.name(path.toString()));
                        }
                        documents.add(draw(farm, root, path.toString(), "", 1, each));
                    });
        }
        if (options.json) {
            Output.json(Map.of("trees", documents));
        } else {
            System.out.println("\n" + directories + " directories, " + files + " files");
        }
        return each.exitCode();
    }

    private Map<String, Object> draw(
            Gridfarm farm, FileInfo at, String name, String indent, int depth, Each each) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", name);
        document.put("type", Describe.type(at.type()));
        document.put("size", at.size());
        if (!at.isDirectory() || depth > deepest) {
            return document;
        }
        List<FileInfo> entries = new ArrayList<>();
        each.attempt(() -> entries.addAll(farm.list(at.path()).toList()));
        entries.removeIf(entry ->
                !all && entry.path().last().toString().startsWith(".")
                        || onlyDirectories && !entry.isDirectory());
        entries.sort(Comparator.comparing(entry -> entry.path().last().toString()));
        List<Map<String, Object>> below = new ArrayList<>();
        for (FileInfo entry : entries) {
            boolean last = entry == entries.getLast();
            String own = entry.path().last().toString();
            if (entry.isDirectory()) {
                directories++;
            } else {
                files++;
            }
            if (!options.json) {
                String size = sizes ? "[" + Output.bytes(entry.size()) + "]  " : "";
                System.out.println(indent + (last ? "└── " : "├── ") + size + shown(farm, entry));
            }
            below.add(draw(farm, entry, own, indent + (last ? "    " : "│   "), depth + 1, each));
        }
        document.put("entries", below);
        return document;
    }

    private static String shown(Gridfarm farm, FileInfo entry) {
        String name = Output.name(entry.path().last().toString());
        return entry.isSymbolicLink()
                ? name + " -> " + Output.name(farm.readLink(entry.path()))
                : name;
    }
}
