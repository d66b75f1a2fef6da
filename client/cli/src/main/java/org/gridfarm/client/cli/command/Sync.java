package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.cli.sync.Report;
import org.gridfarm.client.cli.sync.SyncTree;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.concurrent.Callable;

@Command(
        name = "sync",
        header = "Makes one directory like another, and copies only what differs.",
        description = {
            "",
            "From this machine into the farm, out of it, or within it; paths as for 'gf cp'. A file is copied where its size or its time of",
            "modification differs. Modes, times and symbolic links are kept. Run it again after a failure: what is done is not done again.",
            "What cannot be copied is named, and the rest goes on; the exit status is that of the first failure."
        },
        footer = {
            "",
            "Examples:",
            "  gf sync ./scenes gf:/in/scenes",
            "  gf sync -n --delete gf:/out /backup/out"
        },
        mixinStandardHelpOptions = true)
public final class Sync implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "--delete", description = "remove from TO what FROM does not have")
    private boolean delete;

    @Option(
            names = {"-c", "--checksum"},
            description = "compare the bytes of files of the same size, whatever their times")
    private boolean contents;

    @Option(
            names = {"-n", "--dry-run"},
            description = "tell what would be done, and do nothing")
    private boolean dry;

    @Option(
            names = {"-v", "--verbose"},
            description = "a line for each change")
    private boolean verbose;

    @Option(
            names = {"-q", "--quiet"},
            description = "nothing but failures")
    private boolean quiet;

    @Option(
            names = {"-j", "--jobs"},
            paramLabel = "COUNT",
            description = "files at once (${DEFAULT-VALUE})")
    private int atOnce = Copying.AT_ONCE;

    @Parameters(index = "0", paramLabel = "FROM", description = "a directory")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "a directory, made if need be")
    private String to = "";

    @Override
    public Integer call() {
        Copying.requireCount("sync", atOnce);
        Sides sides = Sides.of(Operands.here(), from, to);
        if (sides.isLocal(from) && sides.isLocal(to)) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "sync",
                    from,
                    "both sides are on this machine; mark the side in the farm: gf:/path");
        }
        boolean lines = (verbose || dry) && !options.json && !quiet;
        Report report = new Report(lines ? System.out::println : line -> {});
        try (Gridfarm farm = options.connect();
                Copies copies = new Copies(atOnce)) {
            tree(sides, farm, copies, report).run();
            if (options.json) {
                Output.json(report.figures());
            } else if (!quiet) {
                System.out.println((dry ? "would be: " : "") + report.line());
            }
            return copies.exitCode();
        }
    }

    private SyncTree tree(Sides sides, Gridfarm farm, Copies copies, Report report) {
        SyncTree.Wish wish = new SyncTree.Wish(contents, delete, dry);
        if (sides.isLocal(from)) {
            return SyncTree.in(farm, Operands.local(from), sides.path(to), copies, wish, report);
        }
        FarmPath source = sides.path(from);
        if (sides.isLocal(to)) {
            return SyncTree.out(farm, source, Operands.local(to), copies, wish, report);
        }
        FarmPath target = sides.path(to);
        if (target.startsWith(source) || source.startsWith(target)) {
            throw new FarmException(
                    ErrorKind.INVALID, "sync", to, "one of the directories lies within the other");
        }
        return SyncTree.within(farm, source, target, copies, wish, report);
    }
}
