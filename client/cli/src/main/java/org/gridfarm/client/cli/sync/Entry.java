package org.gridfarm.client.cli.sync;

import java.time.Instant;

/**
 * What stands under a name; of a symbolic link the link itself.
 *
 * @param mode permission bits, 0777
 */
record Entry(Kind kind, long size, Instant modified, int mode) {
    enum Kind {
        FILE,
        DIRECTORY,
        LINK,
        OTHER
    }

    boolean isDirectory() {
        return kind == Kind.DIRECTORY;
    }
}
