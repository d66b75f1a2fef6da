package org.gridfarm.client.cli.setup;

import org.gridfarm.client.cli.operand.LocalTrees;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Files and commands of this machine. Not thread-safe: one setup at a time. */
final class Host {
    /** What a command said, and how it ended. */
    record Result(int status, String output) {
        boolean good() {
            return status == 0;
        }
    }

    /** Runs a command with nothing on its standard input; what it says on both outputs is kept. */
    Result ask(String... command) {
        return run(List.of(command), "");
    }

    /** The same, where another end than a good one is a failure. */
    String require(String input, String... command) {
        Result result = run(List.of(command), input);
        if (!result.good()) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "setup",
                    String.join(" ", command),
                    "exit status " + result.status() + ": " + lastLines(result.output()));
        }
        return result.output();
    }

    private static String lastLines(String output) {
        List<String> lines = output.strip().lines().toList();
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }

    private static Result run(List<String> command, String input) {
        Path said = null;
        try {
            // A file, not a pipe: a daemon that a command leaves behind may keep its output open.
            said = Files.createTempFile("gf-setup", ".out");
            Process process =
                    new ProcessBuilder(command)
                            .directory(new File("/")) // other accounts may not stand in root's
                            .redirectErrorStream(true)
                            .redirectOutput(said.toFile())
                            .start();
            try (OutputStream out = process.getOutputStream()) {
                out.write(input.getBytes(StandardCharsets.UTF_8));
            }
            int status = process.waitFor();
            return new Result(status, Files.readString(said));
        } catch (IOException e) {
            return new Result(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "setup", command.get(0));
        } finally {
            if (said != null) said.toFile().delete();
        }
    }

    /** Whether something listens at a port of this host. */
    boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false; // refused: nobody is there
        }
    }

    /** Writes a file in one step; {@code mode} as in rw-r--r--. */
    void write(Path file, String text, String mode) {
        try {
            Files.createDirectories(file.getParent());
            Path part = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(part);
            Files.createFile(
                    part,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
            Files.writeString(part, text);
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(mode));
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failed("write", file, e);
        }
    }

    String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw failed("read", file, e);
        }
    }

    boolean holds(Path file, String text) {
        return Files.isRegularFile(file) && read(file).equals(text);
    }

    void directory(Path directory, String mode) {
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
        } catch (IOException e) {
            throw failed("make", directory, e);
        }
    }

    void own(Path file, String account) {
        try {
            PosixFileAttributeView view =
                    Files.getFileAttributeView(
                            file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            view.setOwner(
                    file.getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName(account));
        } catch (IOException e) {
            throw failed("give to " + account, file, e);
        }
    }

    boolean owned(Path file, String account) {
        try {
            return Files.getOwner(file).getName().equals(account);
        } catch (IOException e) {
            throw failed("read", file, e);
        }
    }

    /** Removes a file or a tree; what is not there is well. Links are removed, not followed. */
    void remove(Path tree) {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) return;
        try {
            LocalTrees.remove(tree);
        } catch (IOException e) {
            throw failed("remove", tree, e);
        }
    }

    List<Path> list(Path directory) {
        try (var files = Files.list(directory)) {
            return files.sorted().toList();
        } catch (IOException | UncheckedIOException e) {
            throw failed("list", directory, e);
        }
    }

    static FarmException failed(String what, Path file, Exception cause) {
        return new FarmException(
                ErrorKind.DISK_FAILED,
                what,
                file.toString(),
                String.valueOf(cause.getMessage()),
                cause);
    }
}
