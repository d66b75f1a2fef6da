package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the tools of a grid put the proxy of a person, and look for it. */
public final class ProxyFile {
    private ProxyFile() {}

    /** What {@code X509_USER_PROXY} names, else {@code /tmp/x509up_uUID}; there or not. */
    public static Path standard() {
        String named = System.getenv("X509_USER_PROXY");
        return named != null && !named.isEmpty()
                ? Path.of(named)
                : Path.of("/tmp/x509up_u" + uid());
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
