package org.gridfarm.protocol.observe;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What a daemon is when it runs, for those who started it: {@code rpc}, {@code http} and {@code
 * pid} as properties. It appears whole once the daemon listens, and goes when the daemon ends in
 * order.
 */
public final class RunFile implements AutoCloseable {
    private final Path file;

    private RunFile(Path file) {
        this.file = file;
    }

    public static RunFile write(Path file, HostPort rpc, HostPort http) {
        String text =
                "rpc=" + rpc + "\nhttp=" + http + "\npid=" + ProcessHandle.current().pid() + "\n";
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) Files.createDirectories(folder);
            Path part = file.resolveSibling(file.getFileName() + ".part");
            Files.writeString(part, text);
            Files.move(
                    part,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return new RunFile(file);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write run file",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "remove run file",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
