package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.mount.takeover.Supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What the processes of a mount take. */
final class MountMemory {
    private MountMemory() {}

    /** Megabytes that the serving process has had resident at most; empty where it is not known. */
    static Optional<Double> serving(Path mount) throws IOException {
        Optional<ProcessHandle> server = Supervisor.of(mount).server();
        return server.isEmpty() ? Optional.empty() : of(server.get(), "VmHWM:");
    }

    /** Megabytes of the one that stands by. */
    static Optional<Double> standingBy(Path mount) throws IOException {
        Optional<ProcessHandle> standby = Supervisor.of(mount).standby();
        return standby.isEmpty() ? Optional.empty() : of(standby.get(), "VmRSS:");
    }

    private static Optional<Double> of(ProcessHandle process, String what) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith(what))
                .map(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst();
    }
}
