package org.gridfarm.client.cli.gateway.call;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.util.Optional;

/**
 * What a failure of the farm is called in HTTP and by clients of Hadoop: the one table.
 *
 * @param status of plain HTTP
 * @param hadoopStatus of WebHDFS, whose clients look at the exception first
 * @param exception the class that clients of Hadoop throw
 */
public record Failure(int status, int hadoopStatus, String exception) {
    /** What a client that is told to come again waits. */
    public static final int RETRY_SECONDS = 5;

    /** In an answer: the kind and its errno, for programs. */
    public static final String HEADER = "Gridfarm-Error";

    private static final String FS = "org.apache.hadoop.fs.";
    private static final String IO = "java.io.IOException";
    private static final String NOT_FOUND = "java.io.FileNotFoundException";
    private static final String ARGUMENT = "java.lang.IllegalArgumentException";
    private static final int UNAVAILABLE = 503;

    public static Failure of(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND, STALE -> new Failure(404, 404, NOT_FOUND);
            case NO_ATTRIBUTE -> new Failure(404, 404, IO);
            case NOT_A_DIRECTORY -> new Failure(409, 403, FS + "ParentNotDirectoryException");
            case IS_A_DIRECTORY -> new Failure(409, 403, FS + "FileAlreadyExistsException");
            case ALREADY_EXISTS -> new Failure(412, 403, FS + "FileAlreadyExistsException");
            case NOT_EMPTY -> new Failure(409, 403, FS + "PathIsNotEmptyDirectoryException");
            case ACCESS_DENIED, NOT_PERMITTED, READ_ONLY, TICKET_REFUSED ->
                    new Failure(403, 403, "org.apache.hadoop.security.AccessControlException");
            case NOT_AUTHENTICATED -> new Failure(401, 401, "java.lang.SecurityException");
            case INVALID, NAME_TOO_LONG, TOO_BIG, RANGE, USAGE, LINK_LOOP ->
                    new Failure(400, 400, ARGUMENT);
            case UNSUPPORTED -> new Failure(501, 400, "java.lang.UnsupportedOperationException");
            case FILE_TOO_LARGE -> new Failure(413, 403, IO);
            case NO_SPACE -> new Failure(507, 507, FS + "ClusterStorageCapacityExceededException");
            case QUOTA_EXCEEDED ->
                    new Failure(
                            507, 507, "org.apache.hadoop.hdfs.protocol.DSQuotaExceededException");
            case BUSY,
                    WOULD_BLOCK,
                    DEADLOCK,
                    TEXT_BUSY,
                    CROSS_DEVICE,
                    TOO_MANY_LINKS,
                    BAD_HANDLE,
                    WRONG_GENERATION,
                    NO_DATA_AFTER ->
                    new Failure(409, 403, IO);
            case DATA_UNAVAILABLE,
                    OBJECT_ABSENT,
                    TIMED_OUT,
                    DISCONNECTED,
                    UNAVAILABLE,
                    NOT_LEADER,
                    OVERLOADED,
                    SESSION_ENDED,
                    NOT_READY,
                    NO_LOCKS,
                    TOO_MANY_OPEN,
                    INTERRUPTED,
                    CANCELLED ->
                    new Failure(
                            UNAVAILABLE, UNAVAILABLE, "org.apache.hadoop.ipc.RetriableException");
            case DATA_LOST,
                    CORRUPT,
                    DISK_FAILED,
                    BAD_CONFIGURATION,
                    WRONG_VERSION,
                    PROTOCOL,
                    INTERNAL ->
                    new Failure(500, 500, IO);
        };
    }

    /** As {@link #HEADER} has it. */
    public static String named(ErrorKind kind) {
        return kind + " " + kind.errno();
    }

    /** Another attempt may succeed. */
    public boolean isPassing() {
        return status == UNAVAILABLE;
    }

    /** What a stream of the farm threw; empty: the client's own connection failed. */
    public static Optional<FarmException> in(IOException thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof FarmException failure) return Optional.of(failure);
        }
        return Optional.empty();
    }
}
