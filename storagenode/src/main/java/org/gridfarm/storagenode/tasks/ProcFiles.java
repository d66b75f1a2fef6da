package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.wire.TaskUsage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What /proc says of processes: proc(5). What has ended meanwhile counts for nothing; what its
 * parent has waited for counts with the parent, for processor time and bytes as the kernel does it.
 */
final class ProcFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ProcFiles.class);
    private static final Path PROC = Path.of("/proc");
    private static final long MICROS_PER_TICK = 10_000; // USER_HZ is 100 on every Linux
    private static final int CPU_FIELDS_FROM = 11; // of stat after the name: utime stime cutime
    private static final int CPU_FIELDS_TO = 15; // cstime, and past it
    private static final int KIB = 1024;

    private ProcFiles() {}

    /** The processes that there are now. */
    static long[] all() throws IOException {
        String[] names = PROC.toFile().list();
        if (names == null) {
            throw new IOException(PROC + " cannot be listed");
        }
        return Arrays.stream(names)
                .filter(name -> Character.isDigit(name.charAt(0)))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Of these processes together. */
    static TaskUsage usage(Collection<Long> pids) {
        long cpu = 0;
        long now = 0;
        long highest = 0;
        long read = 0;
        long written = 0;
        int alive = 0;
        for (long pid : pids) {
            Path one = PROC.resolve(Long.toString(pid));
            String status = text(one.resolve("status")).orElse("");
            if (status.isEmpty()) {
                continue;
            }
            alive++;
            cpu += ticks(text(one.resolve("stat")).orElse("")) * MICROS_PER_TICK;
            now += number(status, "VmRSS:") * KIB;
            highest = Math.max(highest, number(status, "VmHWM:") * KIB);
            String io = text(one.resolve("io")).orElse("");
            read += number(io, "rchar:");
            written += number(io, "wchar:");
        }
        return TaskUsage.newBuilder()
                .setCpuMicros(cpu)
                .setMemoryNow(now)
                .setMemoryPeak(Math.max(now, highest))
                .setReadBytes(read)
                .setWrittenBytes(written)
                .setProcesses(alive)
                .build();
    }

    /** A process and all that descend from it; what has lost its parent is not found. */
    static List<Long> tree(long leader) {
        List<Long> found = new ArrayList<>();
        Deque<Long> left = new ArrayDeque<>(List.of(leader));
        while (!left.isEmpty()) {
            long pid = left.remove();
            found.add(pid);
            Path children = PROC.resolve(pid + "/task/" + pid + "/children");
            for (String child : text(children).orElse("").strip().split(" ")) {
                if (!child.isEmpty()) {
                    left.add(Long.parseLong(child));
                }
            }
        }
        return found;
    }

    private static long ticks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        long sum = 0;
        for (int i = CPU_FIELDS_FROM; i < CPU_FIELDS_TO && i < fields.length; i++) {
            sum += Long.parseLong(fields[i]);
        }
        return sum;
    }

    /**
     * The number in the line that begins with a word; 0 if there is none, as for kernel threads.
     */
    static long number(String text, String word) {
        for (String line : text.split("\n")) {
            if (line.startsWith(word)) {
                String[] words = line.substring(word.length()).strip().split("\\s+");
                return words[0].isEmpty() ? 0 : Long.parseLong(words[0]);
            }
        }
        return 0;
    }

    /** Empty for what has ended meanwhile, or is another account's. */
    static Optional<String> text(Path file) {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            LOG.trace("{}: {}", file, e.toString());
            return Optional.empty();
        }
    }
}
