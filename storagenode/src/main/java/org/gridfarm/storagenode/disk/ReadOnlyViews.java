package org.gridfarm.storagenode.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Shows a plain file at a second place, where nobody can change it and another account may own it.
 * Nothing on the disk changes: what is shown is a mount.
 */
public interface ReadOnlyViews {
    /**
     * @param at an empty file, which the shown one covers
     * @param ids a user namespace as {@code /proc/PID/ns/user}, whose map says as whose the file is
     *     shown; empty: as it is
     */
    void show(Path file, Path at, Optional<Path> ids) throws IOException;

    /** Nothing happens if nothing is shown there. Who has it open may read on. */
    void hide(Path at) throws IOException;

    /** For systems that have none. */
    ReadOnlyViews NONE =
            new ReadOnlyViews() {
                @Override
                public void show(Path file, Path at, Optional<Path> ids) throws IOException {
                    throw new IOException("this system shows no file at a second place");
                }

                @Override
                public void hide(Path at) {
                    // nothing is shown anywhere
                }
            };
}
