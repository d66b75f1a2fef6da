package org.gridfarm.test.cluster;

import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * Programs that open a file, do one thing or two and close it, each call by another program on
 * another mount, and the same calls on a local directory. What a close has left, whoever opens next
 * has to see. Now and then several append at the same time, and no line may be missing.
 */
final class ShortOpens {
    /** Does calls, one after the other. */
    interface Worker extends AutoCloseable {
        String call(Call call) throws IOException;

        @Override
        void close() throws IOException;
    }

    record Call(String name, String file, String other, int place, int length, int number) {
        String line() {
            return String.join(
                    " ",
                    name,
                    file,
                    other,
                    Integer.toString(place),
                    Integer.toString(length),
                    Integer.toString(number));
        }
    }

    private static final List<String> CALLS =
            List.of(
                    "append",
                    "append",
                    "append",
                    "append",
                    "appendtwice",
                    "two",
                    "put",
                    "put",
                    "grow",
                    "new",
                    "exclusive",
                    "truncate",
                    "ftruncate",
                    "cutandappend",
                    "mapped",
                    "copy",
                    "read",
                    "read",
                    "stat",
                    "stat",
                    "rename",
                    "unlink");
    private static final Set<String> OF_THE_LIBRARY =
            Set.of("append", "put", "new", "truncate", "cutandappend", "read", "stat", "lines");
    private static final List<String> FILES = List.of("1/a", "1/b", "2/a", "2/b", "3/a");
    private static final int REMEMBERED = 40;
    private static final int BURST_EVERY = 60;
    private static final int BURST_LINES = 6;
    private static final int LENGTH_MAX = 9000;

    private final List<Worker> workers;
    private final Worker local;
    private final Random random;
    private final Deque<String> done = new ArrayDeque<>();

    ShortOpens(List<Worker> workers, Worker local, long seed) {
        this.workers = workers;
        this.local = local;
        this.random = new Random(seed);
    }

    /** The calls before the first difference; empty: there was none. */
    List<String> run(int calls) throws IOException {
        for (int i = 0; i < calls; i++) {
            boolean same = i % BURST_EVERY == BURST_EVERY - 1 ? burst() : one();
            if (!same) {
                return List.copyOf(done);
            }
        }
        return List.of();
    }

    private String any(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean one() throws IOException {
        Call call =
                new Call(
                        any(CALLS),
                        any(FILES),
                        any(FILES),
                        random.nextInt(LENGTH_MAX),
                        1 + random.nextInt(random.nextInt(4) == 0 ? LENGTH_MAX : 20),
                        random.nextInt(10_000));
        int who = random.nextInt(workers.size());
        if (workers.get(who) instanceof Library && !OF_THE_LIBRARY.contains(call.name())) {
            who = 0;
        }
        if (call.name().equals("copy") && call.file().equals(call.other())) {
            return true;
        }
        return same(who, call);
    }

    private boolean same(int who, Call call) throws IOException {
        String expected = local.call(call);
        String got = workers.get(who).call(call);
        boolean sizeAlone = workers.get(who) instanceof Library;
        boolean same = sizeAlone ? got.equals(size(expected)) : got.equals(expected);
        say(who + " " + call.line() + ": " + got + (same ? "" : ", on the local disk " + expected));
        return same;
    }

    /** Without where the program stands in the file. */
    private static String size(String told) {
        return told.startsWith("at ") ? "size " + told.split(" ")[3] : told;
    }

    private void say(String what) {
        done.add(what);
        if (done.size() > REMEMBERED) {
            done.remove();
        }
    }

    /** Several append lines at the same time; then the local file is made to be the same. */
    private boolean burst() throws IOException {
        String file = any(FILES);
        if (!same(0, new Call("new", file, file, 0, 10, 0))) {
            return false;
        }
        List<Call> calls = new ArrayList<>();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int who = 0; who < workers.size(); who++) {
            Worker worker = workers.get(who);
            Call call = new Call("lines", file, file, 0, BURST_LINES, who + 1);
            calls.add(call);
            answers.add(CompletableFuture.supplyAsync(() -> told(worker, call)));
        }
        for (CompletableFuture<String> answer : answers) {
            String told = answer.join();
            if (!told.equals("done")) {
                say("lines: " + told);
                return false;
            }
        }
        for (Call call : calls) {
            local.call(call);
        }
        Call look = new Call("sorted_lines", file, file, 0, 1, 0);
        String expected = local.call(look);
        for (int who = 0; who < workers.size(); who++) {
            String got = workers.get(who).call(look);
            if (!got.equals(expected)) {
                say(who + " lines of " + file + ": " + got + ", not " + expected);
                return false;
            }
        }
        return same(0, new Call("new", file, file, 0, 10, 0));
    }

    private static String told(Worker worker, Call call) {
        try {
            return worker.call(call);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A process of its own that works in a directory. */
    static final class Program implements Worker {
        private final Process process;
        private final BufferedWriter calls;
        private final BufferedReader answers;

        Program(String script, Path directory) throws IOException {
            process =
                    new ProcessBuilder("python3", script, directory.toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            calls = process.outputWriter();
            answers = process.inputReader();
        }

        @Override
        public String call(Call call) throws IOException {
            calls.write(call.line() + "\n");
            calls.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("the program has ended");
            }
            return answer;
        }

        @Override
        public void close() throws IOException {
            calls.close();
            process.destroy();
        }
    }

    /** A client of the library beside the mounts. */
    record Library(Gridfarm farm, String directory) implements Worker {
        private FarmPath path(String file) {
            return FarmPath.of(directory + "/" + file);
        }

        @Override
        public String call(Call call) {
            FarmPath path = path(call.file());
            try {
                return switch (call.name()) {
                    case "append" -> append(path, made(call.length(), call.number()));
                    case "lines" -> lines(path, call);
                    case "put" -> put(path, call);
                    case "new" -> write(path, made(call.length(), call.number()));
                    case "truncate" -> {
                        farm.truncate(path, call.place());
                        yield size(path);
                    }
                    case "cutandappend" -> {
                        farm.truncate(path, call.place());
                        yield append(path, made(call.length(), call.number()));
                    }
                    case "read" -> {
                        byte[] content = content(path);
                        CRC32 crc = new CRC32();
                        crc.update(content);
                        yield "%d bytes, %08x".formatted(content.length, crc.getValue());
                    }
                    case "sorted_lines" -> sorted(content(path));
                    case "stat" -> size(path);
                    default -> throw new IllegalArgumentException(call.name());
                };
            } catch (FarmException e) {
                if (e.kind() == ErrorKind.NOT_FOUND) {
                    return "ENOENT";
                }
                throw e;
            }
        }

        private String size(FarmPath path) {
            return "size " + farm.stat(path).size();
        }

        private String append(FarmPath path, byte[] bytes) {
            try (FarmFile file = farm.create(path, OpenFlags.WRITE.appending(), false)) {
                file.append(ByteBuffer.wrap(bytes));
            }
            return size(path);
        }

        private String put(FarmPath path, Call call) {
            try (FarmFile file = farm.open(path, OpenFlags.WRITE)) {
                file.write(call.place(), ByteBuffer.wrap(made(call.length(), call.number())));
            }
            return size(path);
        }

        private String write(FarmPath path, byte[] bytes) {
            try (FarmOutputStream out = farm.write(path)) {
                out.write(bytes);
            } catch (IOException e) {
                return e.toString();
            }
            return size(path);
        }

        private String lines(FarmPath path, Call call) {
            for (int i = 0; i < call.length(); i++) {
                append(
                        path,
                        "%04d %04d\n"
                                .formatted(call.number(), i)
                                .getBytes(StandardCharsets.US_ASCII));
            }
            return "done";
        }

        private byte[] content(FarmPath path) {
            try (var in = farm.read(path)) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            // whose farm it is closes it
        }
    }

    private static byte[] made(int length, int number) {
        byte[] line = "%08d\n".formatted(number).getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[length];
        for (int i = 0; i < length; i++) {
            all[i] = line[i % line.length];
        }
        return all;
    }

    private static String sorted(byte[] content) {
        String text = new String(content, StandardCharsets.US_ASCII);
        return Arrays.stream(text.split("\n")).sorted().collect(Collectors.joining("|"));
    }
}
