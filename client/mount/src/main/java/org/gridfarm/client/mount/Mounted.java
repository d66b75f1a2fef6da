package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;

/** What every room of the mount works with. */
record Mounted(
        Metadata metadata, Transfer transfer, Callers callers, Beliefs beliefs, LastErrors errors) {

    Credentials who(Request request) {
        return callers.of(request);
    }

    /** Answers with the errno, and remembers what is worth telling a person. */
    void fail(Request request, long inode, String operation, Throwable thrown) {
        FarmException failure = FarmException.of(thrown, operation, Long.toHexString(inode));
        errors.note(inode, operation, failure);
        request.fail(failure.kind().errno());
    }
}
