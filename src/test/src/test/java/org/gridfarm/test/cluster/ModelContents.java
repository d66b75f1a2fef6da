package org.gridfarm.test.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Calls of a {@link ModelProgram} that change what files contain. */
final class ModelContents {
    private static final List<Integer> ALLOCATIONS =
            List.of(
                    0,
                    LinuxCalls.FALLOC_KEEP_SIZE,
                    LinuxCalls.FALLOC_PUNCH_HOLE | LinuxCalls.FALLOC_KEEP_SIZE,
                    LinuxCalls.FALLOC_ZERO_RANGE,
                    LinuxCalls.FALLOC_ZERO_RANGE | LinuxCalls.FALLOC_KEEP_SIZE,
                    LinuxCalls.FALLOC_PUNCH_HOLE,
                    LinuxCalls.FALLOC_COLLAPSE_RANGE);

    /** As old as a mapping may be is some hundred microseconds, on a machine that is not busy. */
    private static final Duration SHOWN_WITHIN = Duration.ofSeconds(2);

    private final ModelDirectory directory;
    private final Random random;

    ModelContents(ModelDirectory directory) {
        this.directory = directory;
        this.random = directory.random;
    }

    void append(String name) throws IOException {
        byte[] more = directory.bytes();
        Files.write(directory.path(name), more, StandardOpenOption.APPEND);
        ModelledFile now = directory.file(name);
        now.write(now.content.length, more);
    }

    void write(String name) throws IOException {
        ModelledFile now = directory.file(name);
        byte[] more = directory.bytes();
        try (FileChannel channel = opened(directory.path(name))) {
            write(channel, more, random.nextInt(now.content.length + 5000), now);
        }
    }

    private static FileChannel opened(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.WRITE);
    }

    private static FileChannel openedToRead(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    static void write(FileChannel channel, byte[] more, int at, ModelledFile now)
            throws IOException {
        ByteBuffer left = ByteBuffer.wrap(more);
        while (left.hasRemaining()) {
            channel.write(left, at + left.position());
        }
        now.write(at, more);
    }

    private void truncate(FileChannel channel, int size, ModelledFile now) throws IOException {
        channel.truncate(size); // which does nothing to a file that is no longer than that
        if (size < now.content.length) {
            now.resize(size);
        }
    }

    void truncate(String name) throws IOException {
        ModelledFile now = directory.file(name);
        int size = random.nextInt(now.content.length + 1);
        try (FileChannel channel = opened(directory.path(name))) {
            truncate(channel, size, now);
        }
    }

    void rewrite(String name) throws IOException {
        byte[] content = directory.bytes();
        Files.write(directory.path(name), content, StandardOpenOption.TRUNCATE_EXISTING);
        directory.file(name).is(content);
    }

    void map(String name) throws IOException {
        ModelledFile now = directory.file(name);
        if (now.content.length == 0) {
            return;
        }
        int at = random.nextInt(now.content.length);
        byte[] more = directory.bytes(1 + random.nextInt(Math.min(3000, now.content.length - at)));
        try (FileChannel channel = openedToRead(directory.path(name));
                Arena arena = Arena.ofConfined()) {
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, now.content.length, arena);
            MemorySegment.copy(more, 0, mapped, ValueLayout.JAVA_BYTE, at, more.length);
        }
        now.write(at, more);
    }

    /** Both have it open for writing, and write one after the other. */
    void twoHandles(String name, int second) throws IOException {
        ModelledFile now = directory.file(name);
        try (FileChannel one = opened(directory.path(name));
                FileChannel other = opened(directory.path(second, name))) {
            write(one, directory.bytes(), random.nextInt(now.content.length + 1), now);
            write(other, directory.bytes(), random.nextInt(now.content.length + 1), now);
            write(one, directory.bytes(), random.nextInt(now.content.length + 1), now);
        }
    }

    /** Cut, written into and read at once. */
    List<String> oneHandle(String name) throws IOException {
        ModelledFile now = directory.file(name);
        try (FileChannel channel = openedToRead(directory.path(name))) {
            int size = random.nextInt(now.content.length + 1);
            truncate(channel, size, now);
            write(channel, directory.bytes(), random.nextInt(size + 3000), now);
            ByteBuffer read = ByteBuffer.allocate(now.content.length + 1);
            while (channel.read(read, read.position()) > 0) {} // to its end
            return differences(name, now, Arrays.copyOf(read.array(), read.position()));
        }
    }

    // ---- ranges

    /** Of one that is open, perhaps between two writes. */
    List<String> allocate(String name) throws IOException {
        ModelledFile now = directory.file(name);
        int mode = ALLOCATIONS.get(random.nextInt(ALLOCATIONS.size()));
        int at = random.nextInt(now.content.length + 5000);
        int length = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(20_000);
        boolean isReadOnly = random.nextInt(10) == 0;
        int expected = refusal(mode, length, isReadOnly);
        int flags = isReadOnly ? LinuxCalls.O_RDONLY : LinuxCalls.O_RDWR;
        try (LinuxCalls.OpenFile file = LinuxCalls.open(directory.path(name), flags)) {
            boolean writes = !isReadOnly && random.nextBoolean();
            if (writes) {
                write(file, now);
            }
            List<String> wrong =
                    ModelAttributes.outcome(
                            "fallocate " + mode, expected, () -> file.allocate(mode, at, length));
            if (expected == 0) {
                allocated(now, mode, at, length);
            }
            if (writes && random.nextBoolean()) {
                write(file, now);
            }
            return wrong;
        }
    }

    /** In the order in which Linux looks. */
    private static int refusal(int mode, int length, boolean isReadOnly) {
        if (length == 0) {
            return LinuxCalls.EINVAL;
        }
        if (mode == LinuxCalls.FALLOC_PUNCH_HOLE) { // without FALLOC_KEEP_SIZE
            return LinuxCalls.EOPNOTSUPP;
        }
        if (isReadOnly) {
            return LinuxCalls.EBADF;
        }
        return mode == LinuxCalls.FALLOC_COLLAPSE_RANGE ? LinuxCalls.EOPNOTSUPP : 0;
    }

    private static void allocated(ModelledFile now, int mode, int at, int length) {
        now.modified(); // or not: what changes nothing need not move a time
        if ((mode & (LinuxCalls.FALLOC_PUNCH_HOLE | LinuxCalls.FALLOC_ZERO_RANGE)) != 0) {
            now.clear(at, length);
        }
        if ((mode & LinuxCalls.FALLOC_KEEP_SIZE) == 0) {
            now.grow(at + length);
        }
    }

    private void write(LinuxCalls.OpenFile file, ModelledFile now) throws IOException {
        byte[] more = directory.bytes();
        int at = random.nextInt(now.content.length + 1);
        file.write(more, at);
        now.write(at, more);
    }

    /**
     * Into another file, or another place of the same.
     *
     * @return the file that was copied to
     */
    String copyRange(String name, List<String> wrong) throws IOException {
        String other = random.nextInt(3) == 0 ? name : directory.any();
        ModelledFile from = directory.file(name);
        ModelledFile to = directory.file(other);
        int at = random.nextInt(from.content.length + 1);
        int length = random.nextInt(from.content.length - at + 1);
        boolean fits = from != to || length <= at;
        int there =
                fits
                        ? random.nextInt(from == to ? at - length + 1 : to.content.length + 3000)
                        : at + length;
        try (LinuxCalls.OpenFile source =
                        LinuxCalls.open(directory.path(name), LinuxCalls.O_RDONLY);
                LinuxCalls.OpenFile target =
                        LinuxCalls.open(directory.perhapsElsewhere(other), LinuxCalls.O_RDWR)) {
            source.size(); // the kernel copies no further than it knows the file
            long copied = source.copyTo(target, at, there, length);
            to.write(there, Arrays.copyOfRange(from.content, at, at + (int) copied));
            if (copied != length) {
                wrong.add("%d of %d bytes copied at %d".formatted(copied, length, at));
            }
            return other;
        }
    }

    // ---- mappings

    /**
     * Stores through a mapping, each made known by msync(2), beside another open file that writes
     * and cuts. Whoever stores into a page has what the other wrote there before.
     */
    List<String> mapBeside(String name) throws IOException {
        ModelledFile now = directory.file(name);
        int size = now.content.length;
        if (size == 0) {
            return List.of();
        }
        try (FileChannel channel = openedToRead(directory.path(name));
                FileChannel other = opened(directory.perhapsElsewhere(name));
                Arena arena = Arena.ofConfined()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            for (int round = 0; round < 2; round++) {
                int end = Math.min(size, now.content.length);
                if (end == 0) {
                    return List.of();
                }
                channel.size(); // a mapping ends where the kernel knows the file to end
                if (!shows(mapped, now, end)) {
                    return List.of("a mapping does not show what was written beside it");
                }
                int at = random.nextInt(end);
                byte[] more = directory.bytes(1 + random.nextInt(Math.min(3000, end - at)));
                MemorySegment.copy(more, 0, mapped, ValueLayout.JAVA_BYTE, at, more.length);
                mapped.force();
                now.write(at, more);
                FileChannel next = random.nextBoolean() ? channel : other;
                if (random.nextBoolean()) {
                    truncate(next, random.nextInt(now.content.length + 1), now);
                }
                if (random.nextBoolean()) {
                    write(next, directory.bytes(), random.nextInt(now.content.length + 3000), now);
                }
            }
        }
        return List.of();
    }

    /** Soon: the kernel is told a moment after the other's call was answered. */
    private static boolean shows(MemorySegment mapped, ModelledFile now, int end) {
        MemorySegment expected = MemorySegment.ofArray(now.content).asSlice(0, end);
        long until = System.nanoTime() + SHOWN_WITHIN.toNanos();
        while (mapped.asSlice(0, end).mismatch(expected) >= 0) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    // ---- appends and closes

    /** By two programs at once: each is there once, whole and in its program's order. */
    List<String> appendTogether(String name, int second) throws IOException {
        ModelledFile now = directory.file(name);
        List<byte[]> mine = records(1);
        List<byte[]> others = records(2);
        FutureTask<Void> beside =
                new FutureTask<>(() -> {
                    append(directory.path(second, name), others);
                    return null;
                });
        Thread.ofPlatform().start(beside);
        append(directory.path(name), mine);
        try {
            beside.get();
        } catch (ExecutionException e) {
            throw new IOException("the other append", e.getCause());
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
        byte[] found = Files.readAllBytes(directory.path(name));
        int at = now.content.length;
        boolean isKept = Arrays.equals(now.content, Arrays.copyOf(found, at));
        int first = 0;
        int next = 0;
        while (isKept && at < found.length) {
            if (first < mine.size() && isAt(found, at, mine.get(first))) {
                at += mine.get(first++).length;
            } else if (next < others.size() && isAt(found, at, others.get(next))) {
                at += others.get(next++).length;
            } else {
                break;
            }
        }
        boolean isWhole = at == found.length && first == mine.size() && next == others.size();
        int before = now.content.length;
        now.is(found);
        return isWhole
                ? List.of()
                : List.of(
                        "of appends to %d bytes %d of %d and %d of %d are there up to %d of %d"
                                .formatted(
                                        before,
                                        first,
                                        mine.size(),
                                        next,
                                        others.size(),
                                        at,
                                        found.length));
    }

    private List<byte[]> records(int program) {
        List<byte[]> records = new ArrayList<>();
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            byte[] record = directory.bytes(2 + random.nextInt(4000));
            record[0] = (byte) program;
            record[1] = (byte) i;
            records.add(record);
        }
        return records;
    }

    private static void append(Path file, List<byte[]> records) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND);
        try {
            for (byte[] record : records) {
                int count = channel.write(ByteBuffer.wrap(record));
                if (count != record.length) {
                    throw new IOException("%d of %d appended".formatted(count, record.length));
                }
                if (record[record.length - 1] % 4 == 0) {
                    channel.close();
                    channel = FileChannel.open(file, StandardOpenOption.APPEND);
                }
            }
        } finally {
            channel.close();
        }
    }

    private static boolean isAt(byte[] all, int at, byte[] record) {
        return at + record.length <= all.length
                && Arrays.equals(all, at, at + record.length, record, 0, record.length);
    }

    /** Directly after the close of what was written. */
    void emptyAfterClose(String name) throws IOException {
        write(name);
        try (LinuxCalls.OpenFile file =
                LinuxCalls.open(
                        directory.perhapsElsewhere(name), LinuxCalls.O_RDWR | LinuxCalls.O_TRUNC)) {
            ModelledFile now = directory.file(name);
            now.resize(0);
            byte[] more = directory.bytes();
            file.write(more, 0);
            now.write(0, more);
        }
    }

    List<String> differences(String name, int mount) throws IOException {
        byte[] found = Files.readAllBytes(directory.path(mount, name));
        return differences(name, directory.file(name), found);
    }

    private static List<String> differences(String name, ModelledFile now, byte[] content) {
        int differs = Arrays.mismatch(content, now.content);
        return differs < 0
                ? List.of()
                : List.of(
                        "%s differs at %d (%d bytes, not %d)"
                                .formatted(name, differs, content.length, now.content.length));
    }
}
