package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;

/** Names the subject of a failure that came back from a server. */
final class Failures {
    private Failures() {}

    static FarmException about(Throwable thrown, String operation, String subject) {
        FarmException failure = FarmException.of(thrown, operation, subject);
        return failure.about(operation, subject);
    }

    static String subject(long inode) {
        return "inode " + Long.toHexString(inode);
    }

    static String subject(long directory, Name name) {
        return name + " in inode " + Long.toHexString(directory);
    }
}
