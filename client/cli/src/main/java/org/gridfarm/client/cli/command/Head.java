package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Amount;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "head",
        header = "Writes the begin of files to standard output.",
        footer = {
            "",
            "Examples:",
            "  gf head -n 3 /in/table.csv",
            "  gf head -c 1M /in/raw > begin"
        },
        mixinStandardHelpOptions = true)
public final class Head implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-n", "--lines"},
            defaultValue = "10",
            paramLabel = "COUNT",
            description = "lines (${DEFAULT-VALUE}); -COUNT does as well")
    private String lines = "10";

    @Option(
            names = {"-c", "--bytes"},
            paramLabel = "SIZE",
            description = "bytes, such as 100 or 4K")
    private String bytes = "";

    @Option(
            names = {"-q", "--quiet"},
            description = "no names before the files")
    private boolean quiet;

    @Parameters(
            arity = "1..*",
            paramLabel = "PATH",
            description = "in the farm; '-' is standard input")
    private List<String> paths = List.of();

    private boolean first = true;

    @Override
    public Integer call() {
        if (paths.getFirst().matches("-[0-9]+")) {
            lines = paths.getFirst().substring(1);
            paths = paths.subList(1, paths.size());
        }
        long count = Amount.count("head", bytes.isEmpty() ? lines : bytes);
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            boolean named = !quiet && paths.size() > 1;
            for (String word : paths) {
                if (word.equals("-")) {
                    each.attempt(() -> copy(System.in, count));
                    continue;
                }
                List<FarmPath> found = each.paths(farm, List.of(word));
                for (FarmPath path : found) {
                    each.attempt(() -> {
                        try (InputStream in = farm.read(path)) {
                            title(path, named || found.size() > 1 && !quiet);
                            copy(in, count);
                        }
                    });
                }
            }
        }
        System.out.flush();
        return each.exitCode();
    }

    private void title(FarmPath path, boolean named) {
        if (named) {
            System.out.println(
                    (first ? "" : "\n") + "==> " + Output.name(path.toString()) + " <==");
        }
        first = false;
    }

    private void copy(InputStream from, long count) throws IOException {
        if (!bytes.isEmpty()) {
            byte[] piece = new byte[64 << 10];
            for (long left = count; left > 0; ) {
                int read = from.read(piece, 0, (int) Math.min(left, piece.length));
                if (read < 0) {
                    return;
                }
                System.out.write(piece, 0, read);
                left -= read;
            }
            return;
        }
        InputStream in = new BufferedInputStream(from, 64 << 10);
        int at;
        for (long left = count; left > 0 && (at = in.read()) >= 0; ) {
            System.out.write(at);
            left -= at == '\n' ? 1 : 0;
        }
    }
}
