package org.gridfarm.test.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A {@code gf batch} that stays and carries out one command after the other: each takes
 * milliseconds there, and half a second of a processor as a program of its own.
 */
final class StayingGf implements AutoCloseable {
    /**
     * Those that ask for something and end. The others start processes, wait for signals or hold a
     * terminal.
     */
    private static final Set<String> TAKEN =
            Set.of(
                    ("balance cat chmod chown delegations df du find get getfacl getfattr health job"
                                    + " jobs ln ls meta mkdir mv node put replicas rm scrub setfacl"
                                    + " setfattr setrep setstripe stat sum touch tree usage where why")
                            .split(" "));

    private static final long END_SECONDS_MAX = 20;

    private final String mark = "=" + UUID.randomUUID() + "=";
    private final Process process;
    private final Path errors;
    private long errorsRead;

    /**
     * @param gf the command without its words
     */
    StayingGf(List<String> gf, Map<String, String> variables) throws IOException {
        errors = Files.createTempFile("gf-batch-", ".txt");
        List<String> command = new ArrayList<>(gf);
        command.addAll(List.of("batch", "--keep-going", "--ended", mark));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().putAll(variables);
        process = builder.start();
    }

    /** What comes of standard input is none of its. */
    static boolean takes(String... words) {
        return words.length > 0
                && TAKEN.contains(words[0])
                && List.of(words).stream()
                        .noneMatch(word ->
                                word.equals("-") || word.equals("-f") || word.contains("\n"));
    }

    /** One word, as a shell and gf batch read it. */
    static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    boolean isAlive() {
        return process.isAlive();
    }

    TestFarm.Result run(long secondsMax, String... words) throws IOException {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(quoted(word)).append(' ');
        }
        CompletableFuture<Void> late = new CompletableFuture<>();
        late.completeOnTimeout(null, secondsMax, TimeUnit.SECONDS)
                .thenRun(process::destroyForcibly);
        try {
            OutputStream in = process.getOutputStream();
            in.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
            in.flush();
            String output = output();
            int end = output.lastIndexOf(mark);
            int status = Integer.parseInt(output.substring(end + mark.length()).strip());
            String said = said();
            return new TestFarm.Result(
                    status, output.substring(0, end), said.substring(0, said.lastIndexOf(mark)));
        } finally {
            late.cancel(false);
        }
    }

    private String output() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        InputStream out = process.getInputStream();
        while (true) {
            int next = out.read();
            if (next < 0) {
                throw new AssertionError(
                        "gf batch has ended, or a command took too long: "
                                + Files.readString(errors));
            }
            line.write(next);
            if (next != '\n') continue;
            line.writeTo(all);
            if (line.toString(StandardCharsets.UTF_8).contains(mark)) {
                return all.toString(StandardCharsets.UTF_8);
            }
            line.reset();
        }
    }

    /** It is there before the mark on standard output is. */
    private String said() throws IOException {
        byte[] all = Files.readAllBytes(errors);
        String said =
                new String(
                        all,
                        (int) errorsRead,
                        (int) (all.length - errorsRead),
                        StandardCharsets.UTF_8);
        errorsRead = all.length;
        return said;
    }

    @Override
    public void close() throws IOException {
        try {
            process.getOutputStream().close(); // its end
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
        Files.deleteIfExists(errors);
    }
}
