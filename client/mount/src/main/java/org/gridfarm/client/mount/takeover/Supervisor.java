package org.gridfarm.client.mount.takeover;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The shell script that keeps a mount alive ({@code supervise.sh}), and the files by which it and
 * the serving process talk.
 */
public final class Supervisor {
    /** Under which the serving process finds the kernel's device. */
    public static final int DEVICE = 9;

    private static final String SHELL = "/bin/sh";

    private final Path state;

    private Supervisor(Path state) {
        this.state = state;
    }

    /** Of the mount on this directory, whether there is one or not. */
    public static Supervisor of(Path directory) {
        Path at = directory.toAbsolutePath().normalize();
        return new Supervisor(
                folder().resolve(
                                Integer.toHexString(at.toString().hashCode())
                                        + readable(at.toString())));
    }

    /**
     * An ordinary user's does not lie in XDG_RUNTIME_DIR: that goes when he logs out, and the mount
     * stays.
     */
    private static Path folder() {
        String user = System.getProperty("user.name");
        return owned(
                isSystem(user, "/run")
                        ? Path.of("/run/gridfarm")
                        : Path.of(System.getProperty("java.io.tmpdir"), "gridfarm-" + user));
    }

    private static boolean isSystem(String user, String folder) {
        return user.equals("root") && Files.isWritable(Path.of(folder));
    }

    /** In /tmp anybody may have made one of that name, or a link. */
    static Path owned(Path folder) {
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(
                        folder,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            }
            PosixFileAttributes seen =
                    Files.readAttributes(
                            folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!seen.isDirectory()) {
                throw new IOException(folder + " is a link: remove it");
            }
            if (!seen.owner().getName().equals(System.getProperty("user.name"))) {
                throw new IOException(folder + " belongs to somebody else");
            }
            if (seen.permissions().contains(PosixFilePermission.GROUP_WRITE)
                    || seen.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new IOException("others may write in " + folder + ": chmod 700 it");
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where a mount in the background writes what it has to say; mounts before it did as well. */
    public static Path log(Path directory) {
        String at = directory.toAbsolutePath().normalize().toString();
        Path folder =
                isSystem(System.getProperty("user.name"), "/var/log")
                        ? owned(Path.of("/var/log/gridfarm"))
                        : folder();
        return folder.resolve("mount" + readable(at) + ".log");
    }

    private static String readable(String path) {
        String readable = path.replaceAll("[^A-Za-z0-9.]", "-");
        return readable.substring(Math.max(0, readable.length() - 80));
    }

    /**
     * What keeps {@code server} serving the mount on {@code directory}.
     *
     * @param prepared the device is mounted already and open as {@link #DEVICE}
     */
    public List<String> command(Path directory, boolean prepared, List<String> server) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                SHELL,
                                script().toString(),
                                prepared ? "prepared" : "new",
                                state.toString(),
                                directory.toAbsolutePath().normalize().toString()));
        command.addAll(server);
        return command;
    }

    /**
     * In a file, so that ps shows a line; a shell that still reads a former one goes on with it.
     */
    private Path script() {
        Path script = beside("sh");
        Path fresh = beside("sh.new");
        try (InputStream in = Supervisor.class.getResourceAsStream("supervise.sh")) {
            if (in == null) {
                throw new IOException("supervise.sh is not in the program");
            }
            Files.copy(in, fresh, StandardCopyOption.REPLACE_EXISTING);
            return Files.move(fresh, script, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The supervisor's process. */
    public Optional<ProcessHandle> process() {
        return process("pid");
    }

    /** The process that serves now. */
    public Optional<ProcessHandle> server() {
        return process("server");
    }

    /** The process that is ready to go on. */
    public Optional<ProcessHandle> standby() {
        return process("standby");
    }

    private Optional<ProcessHandle> process(String file) {
        Path at = beside(file);
        try {
            String text = Files.exists(at) ? Files.readString(at).strip() : "";
            return text.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(text));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty(); // it is just ending
        }
    }

    /** The mount was served at least once. */
    public boolean isServed() {
        return Files.exists(beside("served"));
    }

    /** The process that serves now has begun to serve. */
    public boolean beats() {
        return Files.exists(beside("beat"));
    }

    /**
     * Forgets what a supervisor that was killed has left; to be called before a new one begins.
     * What its mount had decided and not told stays, for the next mount to tell.
     */
    public void clear() {
        try {
            Path own = decisions(state);
            if (Files.exists(state) && Files.exists(own)) {
                Files.move(state, left(state), StandardCopyOption.REPLACE_EXISTING);
                Files.move(own, decisions(left(state)), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.deleteIfExists(state);
            for (String file :
                    List.of(
                            "served", "beat", "command", "server", "standby", "pid", "next",
                            "sh")) {
                Files.deleteIfExists(beside(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is started from now on. */
    public void startFromNowOn(List<String> server) throws IOException {
        String words =
                server.stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .collect(Collectors.joining(" "));
        Files.writeString(beside("command"), words + "\n");
    }

    /** Where the ledger of a mount lies that ended without telling all that it had decided. */
    public static Path left(Path ledger) {
        return beside(ledger, "left");
    }

    /** Where stands what a mount with that ledger has decided and not told. */
    public static Path decisions(Path ledger) {
        return beside(ledger, "own");
    }

    private static Path beside(Path ledger, String file) {
        return ledger.resolveSibling(ledger.getFileName() + "." + file);
    }

    private Path beside(String file) {
        return beside(state, file);
    }
}
