package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where the tools of a grid put the proxy of a person, and look for it. */
public final class ProxyFile {
    private ProxyFile() {}

    /** What {@code X509_USER_PROXY} names, else {@code /tmp/x509up_uUID}; there or not. */
    public static Path standard() {
        String named = System.getenv("X509_USER_PROXY");
        return named != null && !named.isEmpty() ? Path.of(named) : in(Path.of("/tmp"));
    }

    /**
     * The proxy that a task was given to act for its user; it counts before whatever configuration
     * is found on the node, which was written for others. Empty where this is no task.
     */
    public static Optional<Path> ofTask() {
        String named = System.getenv("X509_USER_PROXY");
        boolean isTask = System.getenv("GF_TASK_ID") != null;
        return isTask && named != null && !named.isEmpty()
                ? Optional.of(Path.of(named))
                : Optional.empty();
    }

    static Path in(Path directory) {
        return directory.resolve("x509up_u" + uid());
    }

    /**
     * Refuses with INVALID a proxy that another user has put where everybody makes files: nobody is
     * made to act as somebody else. Elsewhere it is where it is because somebody said so.
     */
    public static void requireOwn(Path proxy) {
        requireOwn(proxy, Path.of("/tmp"));
    }

    static void requireOwn(Path proxy, Path shared) {
        try {
            boolean there = proxy.equals(in(shared)) && Files.exists(proxy);
            if (there && !Files.getAttribute(proxy, "unix:uid").equals(uid())) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "read proxy",
                        proxy.toString(),
                        "it belongs to another user; remove it, or set X509_USER_PROXY");
            }
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "read proxy",
                    proxy.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private static Object uid() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "find proxy",
                    "/proc/self",
                    "the number of this user is not known; set X509_USER_PROXY",
                    e);
        }
    }
}
