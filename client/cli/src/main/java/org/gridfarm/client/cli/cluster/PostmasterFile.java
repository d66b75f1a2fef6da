package org.gridfarm.client.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** postmaster.pid, in whose eighth line PostgreSQL says whether it accepts connections. */
record PostmasterFile(Path data) {
    private static final int STATUS_LINE = 7;

    boolean isReady() {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            return lines.size() > STATUS_LINE && lines.get(STATUS_LINE).startsWith("ready");
        } catch (IOException e) {
            return false; // not written yet
        }
    }
}
