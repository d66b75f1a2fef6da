package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Moment;
import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "touch",
        header = "Makes empty files, and sets times of files that exist.",
        mixinStandardHelpOptions = true)
public final class Touch implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-c", "--no-create"},
            description = "make no file")
    private boolean keep;

    @Option(names = "-a", description = "only the time of access")
    private boolean accessed;

    @Option(names = "-m", description = "only the time of modification")
    private boolean modified;

    @Option(
            names = {"-d", "--date"},
            paramLabel = "TIME",
            description =
                    "this time, not now: 2026-01-31, '2026-01-31 12:00', 2026-01-31T12:00:00Z or @SECONDS")
    private String date = "";

    @Option(
            names = {"-r", "--reference"},
            paramLabel = "PATH",
            description = "the times of this file of the farm")
    private String reference = "";

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        if (!date.isEmpty() && !reference.isEmpty()) {
            throw new FarmException(ErrorKind.USAGE, "touch", "", "give --date or --reference");
        }
        Instant now = date.isEmpty() ? Instant.now() : Moment.of(date);
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            AttributeChange times = times(farm, each, now);
            each.name(paths, path -> touch(farm, path, times));
        }
        return each.exitCode();
    }

    private AttributeChange times(Gridfarm farm, Each each, Instant now) {
        boolean both = accessed == modified;
        Instant access = now;
        Instant change = now;
        if (!reference.isEmpty()) {
            var like = farm.stat(each.one(reference));
            access = like.accessed();
            change = like.modified();
        }
        return AttributeChange.NONE.withTimes(
                both || accessed ? access : null, both || modified ? change : null);
    }

    private void touch(Gridfarm farm, FarmPath path, AttributeChange times) {
        if (!farm.exists(path)) {
            if (keep) {
                return;
            }
            farm.create(path, OpenFlags.WRITE, false).close();
            if (date.isEmpty() && reference.isEmpty()) {
                return;
            }
        }
        farm.change(path, true, times);
    }
}
