package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;

/** The farm's failures as programs for Hadoop know them. The cause is always the farm's own. */
final class Failures {
    interface Call<T> {
        T get();
    }

    interface Action {
        void run();
    }

    private Failures() {}

    static <T> T told(Call<T> call) throws IOException {
        try {
            return call.get();
        } catch (FarmException e) {
            throw of(e);
        }
    }

    /** Of a path that is only looked at: below a file there is nothing. */
    static <T> T found(Call<T> call) throws IOException {
        try {
            return call.get();
        } catch (FarmException e) {
            throw e.kind() == ErrorKind.NOT_A_DIRECTORY
                    ? caused(new FileNotFoundException(e.getMessage()), e)
                    : of(e);
        }
    }

    static void done(Action action) throws IOException {
        try {
            action.run();
        } catch (FarmException e) {
            throw of(e);
        }
    }

    static IOException of(FarmException e) {
        String text = e.getMessage();
        IOException io =
                switch (e.kind()) {
                    case NOT_FOUND, IS_A_DIRECTORY -> new FileNotFoundException(text);
                    case ALREADY_EXISTS -> new FileAlreadyExistsException(text);
                    case NOT_A_DIRECTORY -> new ParentNotDirectoryException(text);
                    case NOT_EMPTY -> new PathIsNotEmptyDirectoryException(e.subject());
                    case ACCESS_DENIED, NOT_PERMITTED, NOT_AUTHENTICATED ->
                            new AccessControlException(text);
                    case NO_SPACE, QUOTA_EXCEEDED ->
                            new ClusterStorageCapacityExceededException(text);
                    case INTERRUPTED -> new InterruptedIOException(text);
                    default -> new IOException(text);
                };
        return caused(io, e);
    }

    private static IOException caused(IOException io, FarmException cause) {
        if (io.getCause() == null) {
            io.initCause(cause);
        }
        return io;
    }

    /** What a stream of the farm threw. */
    static IOException of(IOException thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof FarmException e) {
                return of(e);
            }
        }
        return thrown;
    }
}
