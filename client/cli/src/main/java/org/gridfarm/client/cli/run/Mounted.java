package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The directories of this host on which farms are mounted: what lies below one is a path in a farm.
 * Reads the kernel's table and touches no mount.
 *
 * @param directory in which relative paths begin
 */
public record Mounted(List<Path> mounts, Path directory) {
    private static final String TYPE = " - fuse.gf ";
    private static final int MOUNT_POINT_FIELD = 4; // of /proc/self/mountinfo, see proc(5)

    public static Mounted here() {
        try {
            byte[] table = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return of(
                    NameText.of(table).lines().toList(),
                    LocalPath.of(System.getProperty("user.dir")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Mounted of(List<String> table, Path directory) {
        List<Path> mounts = new ArrayList<>();
        for (String line : table) {
            if (line.contains(TYPE)) {
                mounts.add(LocalPath.of(unescaped(line.split(" ")[MOUNT_POINT_FIELD])));
            }
        }
        return new Mounted(List.copyOf(mounts), directory);
    }

    /** Blanks, tabs, newlines and backslashes stand there in octal. */
    private static String unescaped(String field) {
        return field.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /** The path in the farm of a path on this host, if it is below a mount. */
    public Optional<String> inFarm(String text) {
        if (text.isEmpty() || mounts.isEmpty()) {
            return Optional.empty();
        }
        Path path = directory.resolve(LocalPath.of(text)).normalize();
        return mounts.stream()
                .filter(path::startsWith)
                .findFirst()
                .map(mount -> "/" + LocalPath.text(mount.relativize(path)));
    }

    /** The working directory, if it is in a farm. */
    public Optional<String> directoryInFarm() {
        return inFarm(".");
    }

    /** Whether there is a file of that name here. */
    public boolean exists(String text) {
        return Files.exists(directory.resolve(LocalPath.of(text)));
    }
}
