package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.takeover.Numbers;
import org.gridfarm.client.mount.takeover.OpenBook;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;

/** What every room of the mount works with. */
record Mounted(
        Metadata metadata,
        Transfer transfer,
        Callers callers,
        Beliefs beliefs,
        LastErrors errors,
        Numbers numbers,
        OpenBook book,
        SecondAttempts seconds,
        Remains remains,
        AccessTimes times) {
    /** Handles of one process; no process gives out another's. */
    private static final int HANDLE_BITS = 40;

    Credentials who(Request request) {
        return callers.of(request);
    }

    /** In whose share of what this mount has the request counts. */
    int user(Request request) {
        return callers.user(request);
    }

    Identities identities() {
        return callers.identities();
    }

    void fill(org.gridfarm.client.mount.fuse.Attributes to, Attributes from) {
        Translate.fill(to, from, times.of(from));
        identities().toLocal(to);
    }

    long firstHandle() {
        return (numbers.predecessors() << HANDLE_BITS) + 1;
    }

    /**
     * Answers with the errno, and remembers what is worth telling a person: not what ends a call of
     * a killed program, whose files the kernel closes meanwhile.
     */
    void fail(Request request, long inode, String operation, Throwable thrown) {
        FarmException failure = FarmException.of(thrown, operation, Long.toHexString(inode));
        if (!request.callerKilled()) errors.note(inode, operation, failure);
        request.fail(failure.kind().errno());
    }

    /** The same where all that the kernel knows is a number: that may be of what is long gone. */
    void failByNumber(Request request, long inode, Throwable thrown) {
        String subject = Long.toHexString(inode);
        FarmException failure = FarmException.of(thrown, "look up by number", subject);
        if (failure.kind() == ErrorKind.STALE || failure.kind() == ErrorKind.NOT_FOUND) {
            request.fail(Errno.ESTALE);
        } else {
            fail(request, inode, "look up by number", failure);
        }
    }

    /**
     * The same of a look into a directory: one that is gone was empty before. Where something is to
     * be made there, the call for that is told; of ESTALE here the kernel would tell the program,
     * and not walk the path again.
     */
    void failLooking(Request request, long directory, String operation, Throwable thrown) {
        failInDirectory(request, directory, operation, thrown, true);
    }

    /**
     * The same of a call that changes names in a directory.
     *
     * @param second the kernel has walked to the directory once more, and will not again: where
     *     that is gone too, nothing can be made or found in it
     */
    void failInDirectory(
            Request request, long directory, String operation, Throwable thrown, boolean second) {
        FarmException failure = FarmException.of(thrown, operation, Long.toHexString(directory));
        if (second && failure.kind() == ErrorKind.STALE) {
            request.fail(Errno.ENOENT);
        } else {
            failByPath(request, directory, operation, failure, OpenFlags.READ);
        }
    }

    /**
     * The same of a call that came by a path: where the file that it led to is gone, the kernel
     * walks it again.
     *
     * @param wanted how it was to be opened; for other calls {@link OpenFlags#READ}
     */
    void failByPath(
            Request request, long inode, String operation, Throwable thrown, OpenFlags wanted) {
        FarmException failure = FarmException.of(thrown, operation, Long.toHexString(inode));
        if (failure.kind() == ErrorKind.STALE) {
            seconds.refused(request, wanted);
            request.fail(failure.kind().errno());
        } else {
            fail(request, inode, operation, failure);
        }
    }
}
