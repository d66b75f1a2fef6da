package org.gridfarm.client.mount;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.fuse.linux.LinuxMount;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process does that waits for the one that serves to end: it opens a session of its own,
 * reads the root and closes it again, so that most of the program is loaded when its turn comes.
 */
final class Standby {
    private static final Logger log = LoggerFactory.getLogger(Standby.class);

    private Standby() {}

    /** Says to the supervisor when it is ready. */
    static void getReady(MountSettings settings, Path ledger) {
        LinuxMount.load();
        try (Gridfarm farm =
                Gridfarm.open(settings.client(), "standby of mount " + settings.directory())) {
            farm.metadata().attributes(farm.metadata().root()).join();
        } catch (FarmException e) {
            log.info("standing by without having seen the farm: {}", e.getMessage());
        }
        System.gc(); // what this took is not needed until its turn comes
        try {
            Files.writeString(
                    ledger.resolveSibling(ledger.getFileName() + ".standby"),
                    ProcessHandle.current().pid() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
