package org.gridfarm.client.cli.gateway.s3.auth;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The file of access keys: a line {@code ACCESSKEY SECRETKEY ACCOUNT} for each, lines that begin
 * with # and empty ones are for people. Nobody but its owner may read it. One that has changed is
 * read anew within a second. Thread-safe.
 */
public final class AccessKeys {
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Set<PosixFilePermission> OWNERS =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final Path file;
    private Map<String, AccessKey> keys; // guarded by this, as all below
    private State state;
    private long lookedAt = System.nanoTime();

    private record State(FileTime modified, long size, String inode) {}

    /** BAD_CONFIGURATION where the file cannot be used, and says why. */
    public AccessKeys(Path file) {
        this.file = file;
        state = state(file);
        keys = read(file);
    }

    /** BAD_CONFIGURATION where the file cannot be used any more. */
    public synchronized Optional<AccessKey> find(String id) {
        long now = System.nanoTime();
        if (now - lookedAt >= KNOWN_NANOS) {
            State found = state(file);
            if (!found.equals(state)) {
                keys = read(file);
                state = found;
            }
            lookedAt = now;
        }
        return Optional.ofNullable(keys.get(id));
    }

    private static State state(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return new State(
                    found.lastModifiedTime(), found.size(), String.valueOf(found.fileKey()));
        } catch (IOException e) {
            throw wrong(file, "it cannot be read: " + why(e));
        }
    }

    private static String why(IOException e) {
        return e instanceof NoSuchFileException
                ? "there is no such file (gf s3 key add ACCOUNT makes it)"
                : String.valueOf(e.getMessage());
    }

    private static FarmException wrong(Path file, String why) {
        return new FarmException(
                ErrorKind.BAD_CONFIGURATION, "read access keys", file.toString(), why);
    }

    private static Map<String, AccessKey> read(Path file) {
        Map<String, AccessKey> found = new LinkedHashMap<>();
        int number = 0;
        for (String line : lines(file)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) continue;
            String[] words = text.split("\\s+");
            if (words.length != 3) {
                throw wrong(file, "line " + number + " is not ACCESSKEY SECRETKEY ACCOUNT");
            }
            AccessKey key;
            try {
                key = new AccessKey(words[0], words[1], words[2]);
            } catch (FarmException e) {
                throw wrong(file, "line " + number + ": " + e.operation() + " " + e.detail());
            }
            if (found.put(key.id(), key) != null) {
                throw wrong(file, "line " + number + ": " + key.id() + " stands there twice");
            }
        }
        return found;
    }

    private static List<String> lines(Path file) {
        try {
            Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
            if (!OWNERS.containsAll(allowed)) {
                throw wrong(
                        file,
                        "its mode is "
                                + PosixFilePermissions.toString(allowed)
                                + ", and others may not read it: chmod 600");
            }
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw wrong(file, "it cannot be read: " + why(e));
        }
    }

    // ---- changes, which are made in one step

    /** All keys of a file, which need not be there. */
    public static List<AccessKey> list(Path file) {
        return Files.exists(file) ? List.copyOf(read(file).values()) : List.of();
    }

    public static void add(Path file, AccessKey key) {
        List<String> lines = new ArrayList<>();
        if (Files.exists(file)) {
            if (read(file).containsKey(key.id())) {
                throw new FarmException(ErrorKind.ALREADY_EXISTS, "add access key", key.id());
            }
            lines.addAll(lines(file));
        }
        lines.add(key.id() + " " + key.secret() + " " + key.account());
        write(file, lines);
    }

    public static void remove(Path file, String id) {
        if (list(file).stream().noneMatch(key -> key.id().equals(id))) {
            throw new FarmException(ErrorKind.NOT_FOUND, "remove access key", id);
        }
        write(
                file,
                lines(file).stream()
                        .filter(line -> !line.strip().split("\\s+")[0].equals(id))
                        .toList());
    }

    private static void write(Path file, List<String> lines) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) Files.createDirectories(folder);
            Path fresh =
                    Files.createTempFile(
                            folder, ".s3-keys", "", PosixFilePermissions.asFileAttribute(OWNERS));
            Files.write(fresh, lines);
            // Root adds keys to the file of whoever runs the endpoint.
            if (Files.exists(file)) Files.setOwner(fresh, Files.getOwner(file));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "write access keys",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
