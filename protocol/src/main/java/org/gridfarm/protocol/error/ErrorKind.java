package org.gridfarm.protocol.error;

import java.util.HashMap;
import java.util.Map;

/**
 * The closed list of what can go wrong, and the one table that maps it: to an errno for FUSE, an
 * exit code (sysexits) for commands, a retry rule for the RPC layer and a phrase for people. The
 * java.nio exception is chosen in {@link FarmException#toIoException()}.
 *
 * <p>Numbers travel on the wire and never change. Errno values are those of Linux.
 */
public enum ErrorKind {
    NOT_FOUND(1, 2, Exit.NO_INPUT, Retry.NEVER, "not found"),
    ALREADY_EXISTS(2, 17, Exit.CANNOT_CREATE, Retry.NEVER, "already exists"),
    NOT_A_DIRECTORY(3, 20, Exit.NO_INPUT, Retry.NEVER, "not a directory"),
    IS_A_DIRECTORY(4, 21, Exit.CANNOT_CREATE, Retry.NEVER, "is a directory"),
    NOT_EMPTY(5, 39, Exit.CANNOT_CREATE, Retry.NEVER, "directory not empty"),
    ACCESS_DENIED(6, 13, Exit.NO_PERMISSION, Retry.NEVER, "permission denied"),
    NOT_PERMITTED(7, 1, Exit.NO_PERMISSION, Retry.NEVER, "operation not permitted"),
    INVALID(8, 22, Exit.USAGE, Retry.NEVER, "invalid argument"),
    NAME_TOO_LONG(9, 36, Exit.USAGE, Retry.NEVER, "name too long"),
    TOO_MANY_LINKS(10, 31, Exit.CANNOT_CREATE, Retry.NEVER, "too many links"),
    LINK_LOOP(11, 40, Exit.NO_INPUT, Retry.NEVER, "too many levels of symbolic links"),
    NO_SPACE(12, 28, Exit.CANNOT_CREATE, Retry.NEVER, "no space left"),
    QUOTA_EXCEEDED(13, 122, Exit.CANNOT_CREATE, Retry.NEVER, "quota exceeded"),
    FILE_TOO_LARGE(14, 27, Exit.CANNOT_CREATE, Retry.NEVER, "file too large"),
    NO_ATTRIBUTE(15, 61, Exit.NO_INPUT, Retry.NEVER, "no such attribute"),
    TOO_BIG(16, 7, Exit.USAGE, Retry.NEVER, "argument too big"),
    NO_DATA_AFTER(17, 6, Exit.NO_INPUT, Retry.NEVER, "no data after this offset"),
    WOULD_BLOCK(18, 11, Exit.TRY_AGAIN, Retry.NEVER, "locked by another"),
    DEADLOCK(19, 35, Exit.TRY_AGAIN, Retry.NEVER, "would deadlock"),
    BUSY(20, 16, Exit.TRY_AGAIN, Retry.NEVER, "busy"),
    BAD_HANDLE(21, 9, Exit.INPUT_OUTPUT, Retry.NEVER, "not an open file"),
    STALE(22, 116, Exit.INPUT_OUTPUT, Retry.NEVER, "no longer the same file"),
    CROSS_DEVICE(23, 18, Exit.CANNOT_CREATE, Retry.NEVER, "in another file system"),
    UNSUPPORTED(24, 95, Exit.UNAVAILABLE, Retry.NEVER, "not supported"),
    READ_ONLY(25, 30, Exit.CANNOT_CREATE, Retry.NEVER, "read-only file system"),
    INTERRUPTED(26, 4, Exit.INTERRUPTED, Retry.NEVER, "interrupted"),
    TEXT_BUSY(27, 26, Exit.TRY_AGAIN, Retry.NEVER, "text file busy"),
    RANGE(28, 34, Exit.USAGE, Retry.NEVER, "out of range"),
    NO_LOCKS(35, 37, Exit.TRY_AGAIN, Retry.NEVER, "no locks available"),
    TOO_MANY_OPEN(36, 23, Exit.TRY_AGAIN, Retry.NEVER, "too many open files"),

    /**
     * The data cannot be had now: every node that holds it is down or every copy is bad. The detail
     * says which.
     */
    DATA_UNAVAILABLE(40, 5, Exit.INPUT_OUTPUT, Retry.LATER, "no readable copy"),
    /** Stored bytes do not match their checksum. */
    CORRUPT(41, 5, Exit.INPUT_OUTPUT, Retry.ELSEWHERE, "checksum mismatch"),
    /** The disk itself failed. */
    DISK_FAILED(42, 5, Exit.INPUT_OUTPUT, Retry.ELSEWHERE, "disk error"),
    /** The object is of another generation, or was sealed against this writer. */
    WRONG_GENERATION(43, 116, Exit.INPUT_OUTPUT, Retry.LATER, "content was replaced"),
    TICKET_REFUSED(44, 13, Exit.NO_PERMISSION, Retry.LATER, "ticket refused"),
    OBJECT_ABSENT(45, 5, Exit.INPUT_OUTPUT, Retry.ELSEWHERE, "replica is not on this node"),
    /** Every copy is bad or gone, and no node that is down has another. Nobody waits for it. */
    DATA_LOST(46, 5, Exit.INPUT_OUTPUT, Retry.NEVER, "no good copy is left"),

    TIMED_OUT(60, 110, Exit.TRY_AGAIN, Retry.ELSEWHERE, "timed out"),
    DISCONNECTED(61, 112, Exit.UNAVAILABLE, Retry.ELSEWHERE, "connection lost"),
    UNAVAILABLE(62, 112, Exit.UNAVAILABLE, Retry.ELSEWHERE, "service unavailable"),
    /** The server is a cache or a standby; the detail holds the leader's address, or nothing. */
    NOT_LEADER(63, 11, Exit.TRY_AGAIN, Retry.ELSEWHERE, "not the leader"),
    OVERLOADED(64, 11, Exit.TRY_AGAIN, Retry.LATER, "too busy, try again"),
    /** The session ran out or was evicted: everything held under it is gone. */
    SESSION_ENDED(65, 5, Exit.TRY_AGAIN, Retry.NEVER, "session ended by the server"),
    NOT_READY(66, 11, Exit.TRY_AGAIN, Retry.LATER, "starting"),
    CANCELLED(67, 125, Exit.INTERRUPTED, Retry.NEVER, "cancelled"),

    NOT_AUTHENTICATED(80, 13, Exit.NO_PERMISSION, Retry.NEVER, "not authenticated"),
    BAD_CONFIGURATION(81, 22, Exit.CONFIGURATION, Retry.NEVER, "configuration error"),
    USAGE(82, 22, Exit.USAGE, Retry.NEVER, "usage error"),
    WRONG_VERSION(83, 93, Exit.PROTOCOL, Retry.NEVER, "incompatible version"),
    PROTOCOL(84, 71, Exit.PROTOCOL, Retry.NEVER, "protocol violation"),
    /**
     * A defect in Gridfarm; the log of the named server has the stack trace under the request id.
     */
    INTERNAL(99, 5, Exit.SOFTWARE, Retry.NEVER, "internal error");

    private static final Map<Integer, ErrorKind> BY_NUMBER = new HashMap<>();

    static {
        for (ErrorKind kind : values()) {
            BY_NUMBER.put(kind.number, kind);
        }
    }

    private final int number;
    private final int errno;
    private final Exit exit;
    private final Retry retry;
    private final String phrase;

    ErrorKind(int number, int errno, Exit exit, Retry retry, String phrase) {
        this.number = number;
        this.errno = errno;
        this.exit = exit;
        this.retry = retry;
        this.phrase = phrase;
    }

    /** Unknown numbers come from newer servers and are INTERNAL here. */
    public static ErrorKind of(int number) {
        return BY_NUMBER.getOrDefault(number, INTERNAL);
    }

    public int number() {
        return number;
    }

    /** Linux errno, positive. */
    public int errno() {
        return errno;
    }

    /** Process exit status, as in sysexits.h. */
    public int exitCode() {
        return exit.code();
    }

    public Retry retry() {
        return retry;
    }

    public String phrase() {
        return phrase;
    }
}
