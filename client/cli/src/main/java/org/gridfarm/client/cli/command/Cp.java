package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.client.cli.copy.FarmTree;
import org.gridfarm.client.cli.copy.GetTree;
import org.gridfarm.client.cli.copy.PutTree;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "cp",
        header = "Copies within the farm, into it or out of it.",
        description = {
            "",
            "Where all paths are absolute, all are in the farm. Once one is marked, by gf: or because it lies below a mount, plain paths are",
            "those of this machine, as are relative ones and those that begin with file:. Where TO is a directory, copies go into it."
        },
        footer = {
            "",
            "Examples:",
            "  gf cp -r /in /backup/in",
            "  gf cp ./table.csv gf:/in/",
            "  gf cp gf:/in/table.csv /tmp/"
        },
        mixinStandardHelpOptions = true)
public final class Cp implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-r", "-R", "--recursive"},
            description = "directories with everything below them; symbolic links as links")
    private boolean recursive;

    @Option(
            names = {"-p", "--preserve"},
            description = "within the farm: also keep owners, times and all of the mode")
    private boolean preserves;

    @Option(
            names = {"-a", "--archive"},
            description = "the same as -rp")
    private boolean archive;

    @Option(
            names = {"-f", "--force"},
            description = "replace what is there, which is so by itself")
    private boolean force;

    @Option(
            names = {"-j", "--jobs"},
            paramLabel = "COUNT",
            description = "files at once (${DEFAULT-VALUE})")
    private int atOnce = Copying.AT_ONCE;

    @Parameters(arity = "2..*", paramLabel = "FROM... TO", description = "sources, and where to")
    private List<String> words = List.of();

    private final Operands operands = Operands.here();

    @Override
    public Integer call() {
        Copying.requireCount("cp", atOnce);
        Sides sides = Sides.of(operands, words);
        List<String> sources = words.subList(0, words.size() - 1);
        String to = words.getLast();
        boolean trees = recursive || archive;
        try (Gridfarm farm = options.connect();
                Copies copies = new Copies(atOnce)) {
            if (sides.isLocal(to)) {
                out(farm, copies, sides, sources, Operands.local(to), trees);
            } else {
                in(farm, copies, sides, sources, operands.path(to), trees);
            }
            if (options.json) {
                Copying.print(copies.copied());
            }
            return copies.exitCode();
        }
    }

    private void out(
            Gridfarm farm,
            Copies copies,
            Sides sides,
            List<String> sources,
            Path target,
            boolean trees) {
        List<FarmPath> found = new ArrayList<>();
        for (String source : sources) {
            if (sides.isLocal(source)) {
                throw new FarmException(
                        ErrorKind.USAGE,
                        "cp",
                        source,
                        "both sides are on this machine; mark the side in the farm: gf:/path");
            }
            found.addAll(operands.paths(farm, source));
        }
        boolean into = Files.isDirectory(target);
        requireDirectory(found.size(), into, LocalPath.text(target));
        GetTree tree = new GetTree(farm, copies, trees);
        for (FarmPath from : found) {
            if (into) tree.into(target, from);
            else tree.get(from, target);
        }
        tree.end();
    }

    private void in(
            Gridfarm farm,
            Copies copies,
            Sides sides,
            List<String> sources,
            FarmPath target,
            boolean trees) {
        boolean into = farm.exists(target) && farm.stat(target).isDirectory();
        FarmTree within = new FarmTree(farm, copies, trees, preserves || archive);
        PutTree putting = new PutTree(farm, copies, trees, false);
        List<Path> local = new ArrayList<>();
        List<FarmPath> farmed = new ArrayList<>();
        for (String source : sources) {
            if (sides.isLocal(source)) {
                local.add(Operands.local(source));
            } else {
                farmed.addAll(operands.paths(farm, source));
            }
        }
        requireDirectory(local.size() + farmed.size(), into, target.toString());
        for (Path from : local) {
            Path named = from.toAbsolutePath().normalize();
            putting.put(from, into ? target.child(LocalPath.name(named)) : target);
        }
        for (FarmPath from : farmed) {
            within.copy(from, into ? target.child(from.last()) : target);
        }
        putting.end();
        within.end();
    }

    private static void requireDirectory(int sources, boolean into, String target) {
        if (sources > 1 && !into) {
            throw new FarmException(
                    ErrorKind.NOT_A_DIRECTORY, "cp", target, "several sources need a directory");
        }
    }
}
