package org.gridfarm.test.cluster;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A program that works in a directory of its own, each call through one of several mounts, beside a
 * model in memory. After each change another mount is asked for what the model says. One thread.
 */
final class ModelProgram {
    private static final int FILES_MAX = 12;
    private static final int SHORT = 20_000;
    private static final int LONG = 1_500_000;
    private static final int REMEMBERED = 40;

    private enum Step {
        CREATE,
        APPEND,
        WRITE,
        TRUNCATE,
        REWRITE,
        REPLACE,
        RENAME,
        REMOVE,
        MAP,
        CHMOD,
        DATE,
        TWO_HANDLES,
        ONE_HANDLE,
        LINK,
        REPLACE_BY_ANOTHER,
        MAKE_AGAIN,
        READ,
        LIST
    }

    /**
     * Looking brings a file to rest: what may only go wrong before that shows when nobody looks.
     */
    enum Pace {
        /** Each step goes through any mount, and most are looked at. */
        LOOKS(1, 4),
        /** Some steps in a row go through one mount, and few are looked at. */
        HURRIES(4, 40);

        private final int stays;
        private final int unseen;

        Pace(int stays, int unseen) {
            this.stays = stays;
            this.unseen = unseen;
        }

        private boolean isToMove(Random random) {
            return random.nextInt(stays) == 0;
        }

        private boolean isToLook(Random random) {
            return this == LOOKS ? random.nextInt(unseen) > 0 : random.nextInt(unseen) == 0;
        }
    }

    /** What a file should be like. */
    private static final class Modelled {
        byte[] content;
        Set<PosixFilePermission> mode;
        FileTime time; // null: nobody has set it since the last change
        final Deque<String> history = new ArrayDeque<>();

        Modelled(byte[] content, Set<PosixFilePermission> mode) {
            this.content = content;
            this.mode = mode;
        }
    }

    private final List<Path> mounts;
    private final String directory;
    private final Random random;
    private final Pace pace;
    private final Map<String, Modelled> model = new TreeMap<>();
    private final Set<PosixFilePermission> modeAtBirth =
            PosixFilePermissions.fromString("rw-r--r--");
    private int made;
    private int through;

    /**
     * @param directory of all mounts, which is there and empty
     */
    ModelProgram(List<Path> mounts, String directory, long seed, Pace pace) {
        this.pace = pace;
        this.mounts = List.copyOf(mounts);
        this.directory = directory;
        this.random = new Random(seed);
    }

    /** What was not as the model says; empty: nothing. It ends with the first. */
    List<String> run(int steps) throws IOException {
        for (int i = 0; i < steps; i++) {
            List<String> wrong = step(i);
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        List<String> wrong = new ArrayList<>();
        for (int mount = 0; mount < mounts.size(); mount++) {
            wrong.addAll(namesWrong(mount));
            for (Map.Entry<String, Modelled> file : model.entrySet()) {
                for (String difference : contentWrong(file.getKey(), file.getValue(), mount)) {
                    wrong.add(
                            "at the end: " + difference + "; before: " + historyOf(file.getKey()));
                }
            }
        }
        return wrong;
    }

    private List<String> step(int number) throws IOException {
        Step[] steps = Step.values();
        Step step = model.size() < 2 ? Step.CREATE : steps[random.nextInt(steps.length)];
        boolean makes = step == Step.CREATE || step == Step.LINK;
        if (makes && model.size() >= FILES_MAX) {
            step = Step.REMOVE;
        }
        if (pace.isToMove(random)) through = random.nextInt(mounts.size());
        int checked = random.nextInt(mounts.size());
        String name = step == Step.CREATE ? "f" + made++ : any();
        String what = "%d: %s %s through %d".formatted(number, step, name, through);
        Path file = path(through, name);
        String after = name; // the name to look at
        List<String> wrong = new ArrayList<>();
        try {
            switch (step) {
                case CREATE -> create(name, file);
                case APPEND -> append(name, file);
                case WRITE -> write(name, file);
                case TRUNCATE -> truncate(name, file);
                case REWRITE -> rewrite(name, file);
                case REPLACE -> replace(name, file);
                case RENAME -> after = rename(name, file);
                case REMOVE -> remove(name, file);
                case MAP -> map(name, file);
                case CHMOD -> chmod(name, file);
                case DATE -> date(name, file);
                case TWO_HANDLES -> twoHandles(name, file, path(checked, name));
                case ONE_HANDLE -> wrong.addAll(oneHandle(name, file));
                case LINK -> after = link(name, file);
                case REPLACE_BY_ANOTHER -> after = replaceByAnother(name, file);
                case MAKE_AGAIN -> makeAgain(name, file);
                case READ -> wrong.addAll(bytesWrong(name, model.get(name), through));
                case LIST -> wrong.addAll(namesWrong(checked));
            }
        } catch (IOException e) {
            throw new IOException(what + "; before: " + historyOf(name), e);
        }
        Modelled now = model.get(after);
        if (now != null) {
            now.history.add(what);
            if (now.history.size() > REMEMBERED) now.history.remove();
        }
        if (pace.isToLook(random)) {
            wrong.addAll(namesWrong(checked));
            if (now != null) wrong.addAll(contentWrong(after, now, checked));
        }
        String before = historyOf(after);
        return wrong.stream().map(w -> what + ": " + w + "; before: " + before).toList();
    }

    private String historyOf(String name) {
        Modelled of = model.get(name);
        return of == null ? "" : String.join(" | ", of.history);
    }

    private Path path(int mount, String name) {
        return mounts.get(mount).resolve(directory).resolve(name);
    }

    private String any() {
        List<String> names = List.copyOf(model.keySet());
        return names.get(random.nextInt(names.size()));
    }

    private byte[] bytes() {
        int most = random.nextInt(20) == 0 ? LONG : SHORT;
        byte[] bytes = new byte[random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    // ---- the steps

    private void create(String name, Path file) throws IOException {
        byte[] content = bytes();
        Files.write(file, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        model.put(name, new Modelled(content, modeAtBirth));
    }

    private void append(String name, Path file) throws IOException {
        byte[] more = bytes();
        Files.write(file, more, StandardOpenOption.APPEND);
        Modelled now = model.get(name);
        int end = now.content.length;
        now.content = Arrays.copyOf(now.content, end + more.length);
        System.arraycopy(more, 0, now.content, end, more.length);
        if (more.length > 0) now.time = null;
    }

    private void write(String name, Path file) throws IOException {
        Modelled now = model.get(name);
        byte[] more = bytes();
        int at = random.nextInt(now.content.length + 5000);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            writeAt(channel, more, at, now);
        }
    }

    private static void writeAt(FileChannel channel, byte[] more, int at, Modelled now)
            throws IOException {
        ByteBuffer left = ByteBuffer.wrap(more);
        while (left.hasRemaining()) {
            channel.write(left, at + left.position());
        }
        if (more.length == 0) return;
        now.content = Arrays.copyOf(now.content, Math.max(now.content.length, at + more.length));
        System.arraycopy(more, 0, now.content, at, more.length);
        now.time = null;
    }

    private void truncate(String name, Path file) throws IOException {
        Modelled now = model.get(name);
        int size = random.nextInt(now.content.length + 1);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
        now.content = Arrays.copyOf(now.content, size);
        now.time = null;
    }

    private void rewrite(String name, Path file) throws IOException {
        byte[] content = bytes();
        Files.write(file, content, StandardOpenOption.TRUNCATE_EXISTING);
        Modelled now = model.get(name);
        now.content = content;
        now.time = null;
    }

    private void replace(String name, Path file) throws IOException {
        byte[] content = bytes();
        Path next = Files.write(path(through, "next"), content);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        model.put(name, new Modelled(content, modeAtBirth));
    }

    private String replaceByAnother(String name, Path file) throws IOException {
        String other = any();
        if (model.get(other) == model.get(name)) return name; // to rename does nothing then
        Files.move(file, path(through, other), StandardCopyOption.REPLACE_EXISTING);
        model.put(other, model.remove(name));
        return other;
    }

    private void makeAgain(String name, Path file) throws IOException {
        remove(name, file);
        create(name, file);
    }

    private String link(String name, Path file) throws IOException {
        String to = "f" + made++;
        Files.createLink(path(through, to), file);
        model.put(to, model.get(name));
        return to;
    }

    private String rename(String name, Path file) throws IOException {
        String to = "f" + made++;
        Files.move(file, path(through, to));
        model.put(to, model.remove(name));
        return to;
    }

    private void remove(String name, Path file) throws IOException {
        Files.delete(file);
        model.remove(name);
    }

    private void map(String name, Path file) throws IOException {
        Modelled now = model.get(name);
        if (now.content.length == 0) return;
        int at = random.nextInt(now.content.length);
        byte[] more = new byte[1 + random.nextInt(Math.min(3000, now.content.length - at))];
        random.nextBytes(more);
        try (FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofConfined()) {
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, now.content.length, arena);
            MemorySegment.copy(more, 0, mapped, ValueLayout.JAVA_BYTE, at, more.length);
        }
        System.arraycopy(more, 0, now.content, at, more.length);
        now.time = null;
    }

    private void chmod(String name, Path file) throws IOException {
        Set<PosixFilePermission> mode =
                PosixFilePermissions.fromString(random.nextBoolean() ? "rw-r-----" : "rwxrw-r--");
        Files.setPosixFilePermissions(file, mode);
        model.get(name).mode = mode;
    }

    private void date(String name, Path file) throws IOException {
        FileTime time = FileTime.fromMillis(1_000_000_000_000L + random.nextInt(1_000_000_000));
        Files.setLastModifiedTime(file, time);
        model.get(name).time = time;
    }

    /** Both have it open for writing, and write one after the other. */
    private void twoHandles(String name, Path file, Path second) throws IOException {
        Modelled now = model.get(name);
        try (FileChannel one = FileChannel.open(file, StandardOpenOption.WRITE);
                FileChannel other = FileChannel.open(second, StandardOpenOption.WRITE)) {
            writeAt(one, bytes(), random.nextInt(now.content.length + 1), now);
            writeAt(other, bytes(), random.nextInt(now.content.length + 1), now);
            writeAt(one, bytes(), random.nextInt(now.content.length + 1), now);
        }
    }

    /** Cut, written into and read at once. */
    private List<String> oneHandle(String name, Path file) throws IOException {
        Modelled now = model.get(name);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            int size = random.nextInt(now.content.length + 1);
            channel.truncate(size);
            now.content = Arrays.copyOf(now.content, size);
            now.time = null;
            writeAt(channel, bytes(), random.nextInt(size + 3000), now);
            ByteBuffer read = ByteBuffer.allocate(now.content.length + 1);
            while (channel.read(read, read.position()) > 0) {} // to its end
            byte[] found = Arrays.copyOf(read.array(), read.position());
            return differences(name, now, found);
        }
    }

    // ---- the checks

    private List<String> namesWrong(int through) throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> all = Files.list(mounts.get(through).resolve(directory))) {
            all.forEach(entry -> found.add(entry.getFileName().toString()));
        }
        return found.equals(model.keySet())
                ? List.of()
                : List.of(
                        "mount %d lists %s, there are %s"
                                .formatted(through, found, model.keySet()));
    }

    private List<String> contentWrong(String name, Modelled now, int through) throws IOException {
        Path file = path(through, name);
        List<String> wrong = new ArrayList<>();
        Map<String, Object> attributes =
                Files.readAttributes(
                        file, "posix:size,permissions,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
        if ((long) attributes.get("size") != now.content.length) {
            wrong.add("size %s, not %d".formatted(attributes.get("size"), now.content.length));
        }
        if (!attributes.get("permissions").equals(now.mode)) {
            wrong.add("mode %s, not %s".formatted(attributes.get("permissions"), now.mode));
        }
        if (now.time != null && !attributes.get("lastModifiedTime").equals(now.time)) {
            wrong.add("time %s, not %s".formatted(attributes.get("lastModifiedTime"), now.time));
        }
        int other = random.nextInt(mounts.size());
        FileTime elsewhere = Files.getLastModifiedTime(path(other, name));
        if (!attributes.get("lastModifiedTime").equals(elsewhere)) {
            wrong.add(
                    "time %s, through %d %s, and then %s"
                            .formatted(
                                    attributes.get("lastModifiedTime"),
                                    other,
                                    elsewhere,
                                    timesNow(name)));
        }
        wrong.addAll(bytesWrong(name, now, through));
        return wrong.stream().map(w -> name + " through " + through + ": " + w).toList();
    }

    private List<FileTime> timesNow(String name) throws IOException {
        List<FileTime> times = new ArrayList<>();
        for (int mount = 0; mount < mounts.size(); mount++) {
            times.add(Files.getLastModifiedTime(path(mount, name)));
        }
        return times;
    }

    private List<String> bytesWrong(String name, Modelled now, int through) throws IOException {
        return differences(name, now, Files.readAllBytes(path(through, name)));
    }

    private static List<String> differences(String name, Modelled now, byte[] content) {
        int differs = Arrays.mismatch(content, now.content);
        return differs < 0
                ? List.of()
                : List.of(
                        "%s differs at %d (%d bytes, not %d)"
                                .formatted(name, differs, content.length, now.content.length));
    }
}
