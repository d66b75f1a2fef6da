package org.gridfarm.test.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Calls of a {@link ModelProgram} that change mode, times and extended attributes. */
final class ModelAttributes {
    private static final List<String> NAMES = List.of("user.a", "user.b", "user.long.name");

    /** Of the clock that kernels date files by. */
    private static final Duration TICK = Duration.ofMillis(10);

    private final ModelDirectory directory;
    private final Random random;

    ModelAttributes(ModelDirectory directory) {
        this.directory = directory;
        this.random = directory.random;
    }

    void chmod(String name) throws IOException {
        Set<PosixFilePermission> mode =
                PosixFilePermissions.fromString(random.nextBoolean() ? "rw-r-----" : "rwxrw-r--");
        Files.setPosixFilePermissions(directory.path(name), mode);
        ModelledFile now = directory.file(name);
        now.mode = mode;
        now.changed();
    }

    void date(String name) throws IOException {
        date(name, directory.path(name));
    }

    private void date(String name, Path file) throws IOException {
        FileTime time = FileTime.fromMillis(1_000_000_000_000L + random.nextInt(1_000_000_000));
        Files.setLastModifiedTime(file, time);
        directory.file(name).dated(time);
    }

    /** After a write that nobody has closed, through this mount or another. */
    void dateWhileOpen(String name) throws IOException {
        try (LinuxCalls.OpenFile file = LinuxCalls.open(directory.path(name), LinuxCalls.O_RDWR)) {
            write(file, directory.file(name));
            date(name, directory.perhapsElsewhere(name));
        }
    }

    /** One of the times, or both, or neither. */
    List<String> dateSome(String name) throws IOException {
        ModelledFile now = directory.file(name);
        Path file = directory.path(name);
        boolean setsAccess = random.nextBoolean();
        boolean setsModified = random.nextBoolean();
        long second = 1_000_000_000L + random.nextInt(1_000_000);
        int nanos = random.nextInt(1_000_000_000);
        Instant before = Instant.now();
        LinuxCalls.setTimes(
                file,
                second,
                setsAccess ? nanos : LinuxCalls.UTIME_OMIT,
                0,
                setsModified ? LinuxCalls.UTIME_NOW : LinuxCalls.UTIME_OMIT);
        Instant after = Instant.now();
        Map<String, Object> found =
                Files.readAttributes(file, "unix:lastAccessTime,lastModifiedTime");
        List<String> wrong = new ArrayList<>();
        FileTime access = FileTime.from(Instant.ofEpochSecond(second, nanos));
        if (setsAccess && !found.get("lastAccessTime").equals(access)) {
            wrong.add("access time %s, not %s".formatted(found.get("lastAccessTime"), access));
        }
        if (setsModified) {
            FileTime modified = (FileTime) found.get("lastModifiedTime");
            if (modified.toInstant().isBefore(before.minus(TICK))
                    || modified.toInstant().isAfter(after.plus(TICK))) {
                wrong.add("now, %s, is %s".formatted(before, modified));
            }
            now.dated(modified);
        } else if (setsAccess) {
            now.changed();
        }
        return wrong;
    }

    /** How many copies the file is to have. */
    void level(String name) throws IOException {
        int level = 1 + random.nextInt(3);
        LinuxCalls.setCopies(directory.path(name), level);
        ModelledFile now = directory.file(name);
        now.level = level;
        now.changed();
    }

    /** How many copies it has now. */
    int copies(String name) throws IOException {
        byte[] nodes = LinuxCalls.attribute(directory.path(name), "gf.where");
        String text = new String(nodes, StandardCharsets.UTF_8);
        return text.isBlank() ? 0 : text.strip().split(",").length;
    }

    // ---- extended attributes

    /** Set or taken away, as a call that may be refused says. */
    List<String> attribute(String name) throws IOException {
        String attribute = NAMES.get(random.nextInt(NAMES.size()));
        return random.nextInt(3) == 0 ? remove(name, attribute) : set(name, attribute);
    }

    private List<String> set(String name, String attribute) throws IOException {
        ModelledFile now = directory.file(name);
        boolean isThere = now.attributes.containsKey(attribute);
        int flags = random.nextInt(3); // 0, XATTR_CREATE or XATTR_REPLACE
        byte[] value = directory.bytes(random.nextInt(random.nextInt(8) == 0 ? 20_000 : 100));
        int expected =
                switch (flags) {
                    case LinuxCalls.XATTR_CREATE -> isThere ? LinuxCalls.EEXIST : 0;
                    case LinuxCalls.XATTR_REPLACE -> isThere ? 0 : LinuxCalls.ENODATA;
                    default -> 0;
                };
        Path file = directory.path(name);
        List<String> wrong =
                outcome(
                        "setxattr " + attribute,
                        expected,
                        () -> LinuxCalls.setAttribute(file, attribute, value, flags));
        if (expected == 0) {
            now.attributes.put(attribute, value);
            now.changed();
        }
        return wrong;
    }

    private List<String> remove(String name, String attribute) throws IOException {
        ModelledFile now = directory.file(name);
        int expected = now.attributes.containsKey(attribute) ? 0 : LinuxCalls.ENODATA;
        Path file = directory.path(name);
        List<String> wrong =
                outcome(
                        "removexattr " + attribute,
                        expected,
                        () -> LinuxCalls.removeAttribute(file, attribute));
        if (expected == 0) {
            now.attributes.remove(attribute);
            now.changed();
        }
        return wrong;
    }

    /** A change of attributes alone, looked at before and after: the change time moves alone. */
    List<String> attributeMovesChangeTime(String name) throws IOException {
        ModelledFile now = directory.file(name);
        Path file = directory.path(name);
        Map<String, Object> before = times(file);
        List<String> wrong =
                new ArrayList<>(
                        now.timesWrong(
                                (FileTime) before.get("lastModifiedTime"),
                                (FileTime) before.get("ctime")));
        byte[] value = directory.bytes(10);
        LinuxCalls.setAttribute(file, NAMES.getFirst(), value, 0);
        now.attributes.put(NAMES.getFirst(), value);
        now.changed();
        Map<String, Object> after = times(file);
        FileTime changed = (FileTime) after.get("ctime");
        wrong.addAll(now.timesWrong((FileTime) after.get("lastModifiedTime"), changed));
        if (changed.compareTo((FileTime) before.get("ctime")) <= 0) {
            wrong.add("change time %s, before %s".formatted(changed, before.get("ctime")));
        }
        return wrong;
    }

    private static Map<String, Object> times(Path file) throws IOException {
        return Files.readAttributes(file, "unix:lastModifiedTime,ctime");
    }

    /** Between two writes of one open file, through this mount or another. */
    List<String> attributeBetweenWrites(String name) throws IOException {
        ModelledFile now = directory.file(name);
        try (LinuxCalls.OpenFile file = LinuxCalls.open(directory.path(name), LinuxCalls.O_RDWR)) {
            write(file, now);
            List<String> wrong = attribute(name);
            write(file, now);
            return wrong;
        }
    }

    private void write(LinuxCalls.OpenFile file, ModelledFile now) throws IOException {
        byte[] more = directory.bytes();
        int at = random.nextInt(now.content.length + 1);
        file.write(more, at);
        now.write(at, more);
    }

    /** Those of programs, as a mount shows them. */
    List<String> attributesWrong(String name, int mount) throws IOException {
        Map<String, byte[]> expected = directory.file(name).attributes;
        Path file = directory.path(mount, name);
        Set<String> found = new TreeSet<>(LinuxCalls.attributes(file));
        found.removeIf(attribute -> !attribute.startsWith("user."));
        List<String> wrong = new ArrayList<>();
        if (!found.equals(expected.keySet())) {
            wrong.add("attributes %s, not %s".formatted(found, expected.keySet()));
        }
        for (Map.Entry<String, byte[]> attribute : expected.entrySet()) {
            byte[] value = LinuxCalls.attribute(file, attribute.getKey());
            if (!Arrays.equals(value, attribute.getValue())) {
                wrong.add("another value of " + attribute.getKey());
            }
        }
        String any = NAMES.get(random.nextInt(NAMES.size()));
        if (!expected.containsKey(any)) {
            wrong.addAll(
                    outcome(
                            "getxattr " + any,
                            LinuxCalls.ENODATA,
                            () -> LinuxCalls.attribute(file, any)));
        }
        return wrong;
    }

    /** A call that may be refused. */
    interface Call {
        void run() throws IOException;
    }

    /**
     * @param expected the errno; 0: none
     */
    static List<String> outcome(String what, int expected, Call call) throws IOException {
        int errno = 0;
        try {
            call.run();
        } catch (LinuxCalls.Refused e) {
            errno = e.errno;
        }
        return errno == expected
                ? List.of()
                : List.of("%s: errno %d, not %d".formatted(what, errno, expected));
    }
}
