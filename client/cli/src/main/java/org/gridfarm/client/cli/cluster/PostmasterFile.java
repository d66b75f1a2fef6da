package org.gridfarm.client.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** postmaster.pid, in whose eighth line PostgreSQL says whether it accepts connections. */
record PostmasterFile(Path data) {
    private static final int STATUS_LINE = 7;

    /** A backend sees within moments that its postmaster is gone, once its statement is over. */
    private static final Duration BACKENDS_END_MAX = Duration.ofSeconds(30);

    boolean isReady() {
        try {
            List<String> lines = Files.readAllLines(file());
            return lines.size() > STATUS_LINE && lines.get(STATUS_LINE).startsWith("ready");
        } catch (IOException e) {
            return false; // not written yet
        }
    }

    /**
     * Removes what a killed postmaster left, whose pid may be another's by now. The file is also
     * what keeps a new postmaster from files that backends of the old one still write: so they are
     * waited for.
     */
    void clear() throws IOException {
        if (!Files.exists(file())) return;
        Path real = data.toRealPath();
        if (!Await.until(BACKENDS_END_MAX, () -> !isWorkedIn(real))) {
            throw new IOException("processes of a former PostgreSQL still work in " + data);
        }
        Files.deleteIfExists(file());
    }

    private static boolean isWorkedIn(Path directory) {
        return ProcessHandle.allProcesses()
                .anyMatch(process -> directory.equals(workingDirectory(process.pid())));
    }

    private static Path workingDirectory(long pid) {
        Path link = Path.of("/proc", Long.toString(pid), "cwd");
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            return link; // it has ended, or is another user's
        }
    }

    private Path file() {
        return data.resolve("postmaster.pid");
    }
}
