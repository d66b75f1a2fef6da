package org.gridfarm.client.cli.bench.meta;

import org.gridfarm.client.cli.cluster.Jvm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Processes that do the same phase at the same time on a mount. Owned by one thread. */
public final class Workers implements AutoCloseable {
    private record Worker(Process process, Writer commands, BufferedReader answers) {}

    /** Rates added, latencies of the slowest. */
    public record Result(double perSecond, double p50, double p99) {}

    private final List<Worker> workers = new ArrayList<>();

    /**
     * @param base for each the directory, below the root, of its files
     */
    public Workers(Path root, List<String> base, Duration time) {
        for (int i = 0; i < base.size(); i++) {
            workers.add(start(root, base.get(i), "-p" + i, time));
        }
        for (Worker worker : workers) answer(worker);
    }

    private static Worker start(Path root, String base, String tag, Duration time) {
        List<String> command =
                Jvm.command(
                        MountWorker.class.getName(),
                        root.toString(),
                        base,
                        tag,
                        Long.toString(time.toMillis()));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            return new Worker(
                    process,
                    process.outputWriter(StandardCharsets.US_ASCII),
                    process.inputReader(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String answer(Worker worker) {
        try {
            String line = worker.answers.readLine();
            if (line != null) return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new FarmException(
                ErrorKind.UNAVAILABLE, "bench on a mount", "", "a process of it failed; see above");
    }

    public Result run(String phase) {
        try {
            for (Worker worker : workers) {
                worker.commands.write(phase + "\n");
                worker.commands.flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        double rate = 0;
        double p50 = 0;
        double p99 = 0;
        for (Worker worker : workers) {
            String[] figures = answer(worker).split(" ");
            rate += Double.parseDouble(figures[0]);
            p50 = Math.max(p50, Double.parseDouble(figures[1]));
            p99 = Math.max(p99, Double.parseDouble(figures[2]));
        }
        return new Result(rate, p50, p99);
    }

    @Override
    public void close() {
        for (Worker worker : workers) worker.process.destroy();
    }
}
