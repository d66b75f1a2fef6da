package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.mount.MountMain;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The process behind {@code gf mount}. */
public final class MountProcess {
    private static final Duration READY_MAX = Duration.ofSeconds(20);
    private static final String HEAP = "256m";

    private MountProcess() {}

    public static int runHere(List<String> arguments) {
        return MountMain.run(arguments.toArray(new String[0]));
    }

    /** Returns when the mount is there, or throws with the last lines of its log. */
    public static int startInBackground(Path directory, List<String> arguments) {
        Path at = directory.toAbsolutePath().normalize();
        if (!Files.isDirectory(at)) {
            throw new FarmException(
                    ErrorKind.NOT_A_DIRECTORY,
                    "mount",
                    at.toString(),
                    "make it first: mkdir -p " + at);
        }
        String obstacle = Mounts.obstacle();
        if (!obstacle.isEmpty()) {
            throw new FarmException(ErrorKind.UNAVAILABLE, "mount", at.toString(), obstacle);
        }
        if (Mounts.isMounted(at)) {
            throw new FarmException(
                    ErrorKind.BUSY, "mount", at.toString(), "something is mounted there");
        }
        try {
            Path log = Files.createTempFile("gf-mount-", ".log");
            Component component =
                    OsProcess.start(
                            new Component(
                                    "mount",
                                    "mount",
                                    Jvm.daemon(
                                            "org.gridfarm.client.mount.MountMain",
                                            HEAP,
                                            arguments.toArray(new String[0])),
                                    Map.of(),
                                    log.toString(),
                                    at.toString(),
                                    "",
                                    0,
                                    0));
            Await.until(READY_MAX, () -> Mounts.isMounted(at) || !OsProcess.isAlive(component));
            if (!Mounts.isMounted(at)) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "mount",
                        at.toString(),
                        Files.readString(log).strip());
            }
            return 0;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "mount",
                    at.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
