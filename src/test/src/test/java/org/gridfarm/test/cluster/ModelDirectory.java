package org.gridfarm.test.cluster;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A directory of several mounts, what should be in it, and the choices of whoever works there. */
final class ModelDirectory {
    private static final int SHORT = 20_000;
    private static final int LONG = 1_500_000;

    final List<Path> mounts;
    final Random random;
    final Map<String, ModelledFile> files = new TreeMap<>();
    private final Set<PosixFilePermission> modeAtBirth =
            PosixFilePermissions.fromString("rw-r--r--");
    private final String name;
    private int level = 1;
    private int made;
    private int through;

    /**
     * @param name of it in all mounts, where it is there and empty
     */
    ModelDirectory(List<Path> mounts, String name, Random random) {
        this.mounts = List.copyOf(mounts);
        this.name = name;
        this.random = random;
    }

    /** The number of the mount that calls go through. */
    int through() {
        return through;
    }

    void move() {
        through = anyMount();
    }

    int anyMount() {
        return random.nextInt(mounts.size());
    }

    Path path(int mount) {
        return mounts.get(mount).resolve(name);
    }

    Path path(int mount, String file) {
        return path(mount).resolve(file);
    }

    Path path(String file) {
        return path(through, file);
    }

    ModelledFile file(String file) {
        return Objects.requireNonNull(files.get(file), file);
    }

    /** Through the mount of the calls or another. */
    Path perhapsElsewhere(String file) {
        return path(random.nextBoolean() ? through : anyMount(), file);
    }

    /** What is made in it from now on has so many copies. */
    void level(int copies) throws LinuxCalls.Refused {
        level = copies;
        LinuxCalls.setCopies(path(through), copies);
    }

    /** A file that is made in it. */
    ModelledFile born(byte[] content) {
        return new ModelledFile(content, modeAtBirth, level);
    }

    String newName() {
        return "f" + made++;
    }

    String any() {
        List<String> names = List.copyOf(files.keySet());
        return names.get(random.nextInt(names.size()));
    }

    byte[] bytes() {
        int most = random.nextInt(20) == 0 ? LONG : SHORT;
        return bytes(random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(most));
    }

    byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
