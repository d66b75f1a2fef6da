package org.gridfarm.client.cli.doctor;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file of the farm as it is seen through a mount of this machine.
 *
 * @param mount the directory it is mounted on
 */
public record MountedPath(Path mount, Path file) {

    /** An error that the mount remembers. */
    public record Remembered(String when, ErrorKind kind, String text) {}

    /** Empty when the file lies below no mount of a farm. */
    public static Optional<MountedPath> of(Path file) {
        Path at = file.toAbsolutePath().normalize();
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .map(line -> line.split(" "))
                    .filter(fields -> List.of(fields).contains("fuse.gf"))
                    .map(fields -> Path.of(fields[4].replace("\\040", " ")))
                    .filter(at::startsWith)
                    .max((a, b) -> Integer.compare(a.getNameCount(), b.getNameCount()))
                    .map(mount -> new MountedPath(mount, at));
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.INTERNAL, "read", "/proc/self/mountinfo", e.toString(), e);
        }
    }

    public FarmPath inTheFarm() {
        String below = mount.relativize(file).toString();
        return FarmPath.of("/" + below);
    }

    /** What failed last for this file, or for its directory. */
    public List<Remembered> errors() {
        try {
            List<String> numbers = new ArrayList<>();
            for (Path path : new Path[] {file, file.getParent()}) {
                if (path != null && path.startsWith(mount) && Files.exists(path)) {
                    Object inode = Files.getAttribute(path, "unix:ino");
                    numbers.add(Long.toHexString(((Number) inode).longValue()));
                }
            }
            return Files.readAllLines(mount.resolve(".gf/errors")).stream()
                    .map(line -> line.split(" ", 4))
                    .filter(words -> words.length == 4 && numbers.contains(words[0]))
                    .map(words -> new Remembered(words[1], ErrorKind.valueOf(words[2]), words[3]))
                    .toList();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "ask the mount on",
                    mount.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
