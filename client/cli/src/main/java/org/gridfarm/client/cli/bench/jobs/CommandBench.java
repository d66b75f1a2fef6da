package org.gridfarm.client.cli.bench.jobs;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code gf run} as a user has it, its own process and all: one empty task, and thousands of small
 * inputs beside what GNU parallel makes of the same files on a plain disk.
 *
 * @param command of this program, and the farm that it is to use
 */
record CommandBench(Path command, Path config, FarmPath root, Report report) {
    /** Files of a well-known collection of scenes, each an input of its own. */
    static final int INPUTS = 3_137;

    private static final int INPUT_BYTES = 4 << 10;
    private static final int COMMANDS = 5;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS = 1e3;
    private static final double COST_AIM = 500; // ms: what is not felt
    private static final double SHARE_AIM = 0.5; // of the rate of a program without a network

    void one() throws IOException {
        List<Double> whole = new ArrayList<>();
        List<Double> processor = new ArrayList<>();
        Processor self = new Processor(List.of(ProcessHandle.current().pid())); // and its children
        for (int i = 0; i < COMMANDS; i++) {
            double before = self.seconds();
            long begin = System.nanoTime();
            run(List.of(command.toString(), "run", "true"), Optional.empty());
            whole.add((System.nanoTime() - begin) / NANOS_PER_MILLI);
            processor.add((self.seconds() - before) * MILLIS);
        }
        report.add(
                Row.of("gf run true, from start to end", JobsBench.median(whole), "ms")
                        .aiming(Aim.atMost(COST_AIM))
                        .with(Map.of("runs", whole)));
        report.add(
                Row.of("its own processor time", JobsBench.median(processor), "ms")
                        .with(Map.of("runs", processor)));
    }

    void inputs(Gridfarm farm, int slots) throws IOException {
        Path plain = Files.createTempDirectory("gf-bench-plain-");
        farm.mkdir(root);
        try {
            byte[] content = NameText.bytes("x\n".repeat(INPUT_BYTES / 2));
            StringBuilder names = new StringBuilder();
            for (int i = 0; i < INPUTS; i++) {
                Path file = Files.write(plain.resolve(Integer.toString(i)), content);
                names.append(file).append('\n');
                try (FarmOutputStream out = farm.write(FarmPath.of(root + "/" + i))) {
                    out.write(content);
                }
            }
            Row row =
                    Row.of(
                            "%,d inputs by gf run".formatted(INPUTS),
                            rate(
                                    List.of(
                                            command.toString(),
                                            "run",
                                            "wc -l < {}",
                                            ":::",
                                            root + "/*"),
                                    Optional.empty()),
                            "tasks/s");
            if (isGnuParallel()) {
                double parallel =
                        rate(
                                List.of("parallel", "--will-cite", "-j", slots + "", "wc -l < {}"),
                                Optional.of(names.toString()));
                report.add(
                        row.against(parallel)
                                .aiming(Aim.atLeast(SHARE_AIM))
                                .with(Map.of("gnu_parallel_on_a_plain_disk", parallel)));
            } else {
                report.add(row.with(Map.of("gnu_parallel_on_a_plain_disk", "not installed")));
            }
        } finally {
            farm.deleteRecursively(root);
            try (Stream<Path> files = Files.list(plain)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(plain);
        }
    }

    private double rate(List<String> words, Optional<String> input) throws IOException {
        long begin = System.nanoTime();
        run(words, input);
        return INPUTS / ((System.nanoTime() - begin) / NANOS_PER_SECOND);
    }

    /** Another program has the same name. */
    private static boolean isGnuParallel() throws IOException {
        String path = System.getenv().getOrDefault("PATH", "");
        boolean isThere =
                Stream.of(path.split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "parallel")));
        if (!isThere) {
            return false;
        }
        Process asked =
                new ProcessBuilder("parallel", "--version")
                        .redirectErrorStream(true)
                        .redirectInput(Path.of("/dev/null").toFile())
                        .start();
        return NameText.of(asked.getInputStream().readAllBytes()).startsWith("GNU parallel");
    }

    private void run(List<String> words, Optional<String> input) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("GF_CONFIG", config.toString());
        builder.environment().put("GF_BUILD", "never");
        Process process = builder.start();
        try (OutputStream to = process.getOutputStream()) {
            to.write(NameText.bytes(input.orElse("")));
        }
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "bench",
                        String.join(" ", words),
                        "exit status " + status);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarmException.of(e, "bench", "gf run");
        }
    }
}
