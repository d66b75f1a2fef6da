package org.gridfarm.client.cli.doctor;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of the farm as it is seen through a mount of this machine.
 *
 * @param mount the directory it is mounted on
 */
public record MountedPath(Path mount, Path file) {

    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");

    /** An error that the mount remembers. */
    public record Remembered(String when, ErrorKind kind, String text) {}

    /** Empty when the file lies below no mount of a farm. */
    public static Optional<MountedPath> of(Path file) {
        Path at = file.toAbsolutePath().normalize();
        try {
            byte[] table = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return NameText.of(table)
                    .lines()
                    .map(line -> line.split(" "))
                    .filter(fields -> List.of(fields).contains("fuse.gf"))
                    .map(fields -> LocalPath.of(unescaped(fields[4])))
                    .filter(at::startsWith)
                    .max((a, b) -> Integer.compare(a.getNameCount(), b.getNameCount()))
                    .map(mount -> new MountedPath(mount, at));
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.INTERNAL, "read", "/proc/self/mountinfo", e.toString(), e);
        }
    }

    /** Blanks, tabs, newlines and backslashes stand there as their octal numbers. */
    private static String unescaped(String field) {
        return ESCAPE.matcher(field)
                .replaceAll(m ->
                        Matcher.quoteReplacement(
                                Character.toString(Integer.parseInt(m.group(1), 8))));
    }

    public FarmPath inTheFarm() {
        String below = LocalPath.text(mount.relativize(file));
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
