package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * What a task has written below the mount. A mount answers the close of a short new file while its
 * nodes and the metaserver are still told, so that a task may end before that has gone well.
 */
final class Outputs {
    private Outputs() {}

    /**
     * Waits until what was closed so far is at its nodes, and its names are with the metaserver;
     * fdatasync(2) of the mount's root does that.
     *
     * @param mount empty: there is none
     * @return why it is not
     */
    static Optional<String> notStored(String mount) {
        if (mount.isEmpty()) {
            return Optional.empty();
        }
        try (FileChannel root = FileChannel.open(Path.of(mount), StandardOpenOption.READ)) {
            root.force(false);
            return Optional.empty();
        } catch (IOException e) {
            FarmException failure = new FarmException(DiskTrouble.kind(e), "fsync", mount);
            return Optional.of("what it wrote may not be stored: " + failure.getMessage());
        }
    }
}
