package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Amount;
import org.gridfarm.client.core.FarmInputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "tail",
        header = "Writes the end of files to standard output.",
        footer = {
            "",
            "Examples:",
            "  gf tail -n 20 /log/run7",
            "  gf tail -f /log/run7    until ^C"
        },
        mixinStandardHelpOptions = true)
public final class Tail implements Callable<Integer> {
    private static final int PIECE = 64 << 10;

    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-n", "--lines"},
            defaultValue = "10",
            paramLabel = "COUNT",
            description =
                    "lines (${DEFAULT-VALUE}); -COUNT does as well; +COUNT: from that line on")
    private String lines = "10";

    @Option(
            names = {"-c", "--bytes"},
            paramLabel = "SIZE",
            description = "bytes, such as 100 or 4K; +SIZE: from that byte on")
    private String bytes = "";

    @Option(
            names = {"-f", "--follow"},
            description = "go on with what is appended, until ^C")
    private boolean follow;

    @Option(
            names = {"-q", "--quiet"},
            description = "no names before the files")
    private boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    private boolean first = true;

    @Override
    public Integer call() {
        if (paths.getFirst().matches("[-+][0-9]+")) {
            lines = paths.getFirst().replaceFirst("^-", "");
            paths = paths.subList(1, paths.size());
        }
        boolean byBytes = !bytes.isEmpty();
        String asked = byBytes ? bytes : lines;
        boolean fromBegin = asked.startsWith("+");
        long count = Amount.count("tail", asked.replaceFirst("^[-+]", ""));
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            List<FarmPath> found = each.paths(farm, paths);
            if (follow && found.size() > 1) {
                throw new FarmException(ErrorKind.USAGE, "tail", "-f", "one file at a time");
            }
            for (FarmPath path : found) {
                each.attempt(() -> {
                    long size = requireFile(farm, path);
                    long from =
                            byBytes
                                    ? fromBegin ? Math.max(0, count - 1) : size - count
                                    : fromBegin
                                            ? lineFromBegin(farm, path, count)
                                            : lineFromEnd(farm, path, size, count);
                    if (found.size() > 1 && !quiet) {
                        title(path);
                    }
                    long end = copy(farm, path, Math.max(0, from));
                    if (follow) {
                        follow(farm, path, end);
                    }
                });
            }
        }
        System.out.flush();
        return each.exitCode();
    }

    private static long requireFile(Gridfarm farm, FarmPath path) {
        var found = farm.stat(path);
        if (!found.isRegularFile()) {
            throw new FarmException(ErrorKind.INVALID, "tail", path.toString(), "it is no file");
        }
        return found.size();
    }

    private void title(FarmPath path) {
        System.out.println((first ? "" : "\n") + "==> " + Output.name(path.toString()) + " <==");
        first = false;
    }

    /** The offset where the last lines begin: pieces are read from the end on. */
    private static long lineFromEnd(Gridfarm farm, FarmPath path, long size, long count)
            throws IOException {
        if (count == 0) {
            return size;
        }
        byte[] piece = new byte[PIECE];
        long left = count + 1; // the end of the line before them
        long last = size;
        try (FarmInputStream in = farm.read(path)) {
            for (long end = size; end > 0; ) {
                long begin = Math.max(0, end - PIECE);
                in.seek(begin);
                int read = in.readNBytes(piece, 0, (int) (end - begin));
                for (int i = read - 1; i >= 0; i--) {
                    boolean atEnd = begin + i == last - 1; // it ends the last line
                    if (piece[i] == '\n' && !atEnd && --left == 1) {
                        return begin + i + 1;
                    }
                }
                end = begin;
            }
        }
        return 0;
    }

    private static long lineFromBegin(Gridfarm farm, FarmPath path, long line) throws IOException {
        byte[] piece = new byte[PIECE];
        long left = Math.max(0, line - 1);
        long offset = 0;
        try (FarmInputStream in = farm.read(path)) {
            int read;
            while (left > 0 && (read = in.read(piece, 0, PIECE)) >= 0) {
                for (int i = 0; i < read; i++) {
                    offset++;
                    if (piece[i] == '\n' && --left == 0) {
                        return offset;
                    }
                }
            }
        }
        return offset;
    }

    /** Returns the offset behind what was copied. */
    private static long copy(Gridfarm farm, FarmPath path, long from) throws IOException {
        try (FarmInputStream in = farm.read(path)) {
            in.seek(from);
            return from + in.transferTo(System.out);
        }
    }

    /** A file that is cut is read from its begin on, as tail of coreutils does it. */
    private static void follow(Gridfarm farm, FarmPath path, long from) throws IOException {
        long at = from;
        while (true) {
            System.out.flush();
            if (System.out.checkError()) {
                return; // nobody reads it any more
            }
            Administration.pause();
            long size = farm.stat(path).size();
            if (size < at) {
                System.err.println("gf: tail: " + path + ": the file was cut");
                at = 0;
            }
            if (size > at) {
                at = copy(farm, path, at);
            }
        }
    }
}
