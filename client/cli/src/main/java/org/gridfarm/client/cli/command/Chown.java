package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Owner;
import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "chown",
        header = "Changes owners and groups.",
        description = {
            "",
            "OWNER is a user, user:group, or :group, by name or number. Names are those of this host; the farm keeps numbers."
        },
        footer = {"", "Example:", "  gf chown -R ann:physics /project"})
public final class Chown implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well")
    private boolean recursive;

    @Option(
            names = {"-h", "--no-dereference"},
            description = "symbolic links themselves, as always with -R")
    private boolean links;

    @Mixin private HelpOption help = new HelpOption();

    @Parameters(index = "0", paramLabel = "OWNER", description = "user, user:group or :group")
    private String owner = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        return change(options, Owner.of(owner), paths, recursive, links);
    }

    static int change(
            FarmOptions options,
            Owner owner,
            List<String> paths,
            boolean recursive,
            boolean links) {
        Each each = new Each();
        AttributeChange change = AttributeChange.NONE.withOwner(owner.uid(), owner.gid());
        try (Gridfarm farm = options.connect()) {
            each.path(
                    farm,
                    paths,
                    path ->
                            Trees.each(
                                    farm,
                                    links || recursive ? farm.statLink(path) : farm.stat(path),
                                    recursive,
                                    each,
                                    found ->
                                            farm.change(
                                                    found.path(), !links && !recursive, change)));
        }
        return each.exitCode();
    }
}
