package org.gridfarm.protocol.error;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * A failure with a kind, the operation that failed, what it failed on and, where it helps a person,
 * why. The message reads {@code operation subject: phrase (detail)}; programs look at {@link
 * #kind()} and never at the text.
 */
public final class FarmException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorKind kind;
    private final String operation;
    private final String subject;
    private final String detail;

    public FarmException(ErrorKind kind, String operation, String subject) {
        this(kind, operation, subject, "");
    }

    public FarmException(ErrorKind kind, String operation, String subject, String detail) {
        this(kind, operation, subject, detail, null);
    }

    public FarmException(
            ErrorKind kind,
            String operation,
            String subject,
            String detail,
            @Nullable Throwable cause) {
        super(
                null,
                cause,
                false,
                kind
                        == ErrorKind
                                .INTERNAL); // refusals are ordinary answers: no stack trace is paid
        // for them
        this.kind = kind;
        this.operation = operation;
        this.subject = subject;
        this.detail = detail;
    }

    /**
     * The FarmException inside what a future or a thread threw; anything else becomes INTERNAL and
     * keeps its cause.
     */
    public static FarmException of(Throwable thrown, String operation, String subject) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof FarmException failure) {
                return failure;
            }
        }
        return new FarmException(
                ErrorKind.INTERNAL, operation, subject, String.valueOf(thrown), thrown);
    }

    public ErrorKind kind() {
        return kind;
    }

    public String operation() {
        return operation;
    }

    public String subject() {
        return subject;
    }

    public String detail() {
        return detail;
    }

    @Override
    public String getMessage() {
        StringBuilder text = new StringBuilder(operation);
        if (!subject.isEmpty()) {
            text.append(' ').append(subject);
        }
        text.append(": ").append(kind.phrase());
        if (!detail.isEmpty()) {
            text.append(" (").append(detail).append(')');
        }
        return text.toString();
    }

    /**
     * The same failure told of another subject, as when an inode number is replaced by the path a
     * person gave.
     */
    public FarmException about(String newOperation, String newSubject) {
        return new FarmException(kind, newOperation, newSubject, detail, getCause());
    }

    /** As java.nio.file and java.io users expect it; the cause is this. */
    public IOException toIoException() {
        IOException io =
                switch (kind) {
                    case NOT_FOUND -> new NoSuchFileException(subject, null, detail);
                    case ALREADY_EXISTS -> new FileAlreadyExistsException(subject, null, detail);
                    case NOT_A_DIRECTORY -> new NotDirectoryException(subject);
                    case NOT_EMPTY -> new DirectoryNotEmptyException(subject);
                    case ACCESS_DENIED, NOT_PERMITTED, NOT_AUTHENTICATED ->
                            new AccessDeniedException(subject, null, getMessage());
                    case LINK_LOOP -> new FileSystemLoopException(subject);
                    case INTERRUPTED -> new InterruptedIOException(getMessage());
                    default -> new FileSystemException(subject, null, getMessage());
                };
        io.initCause(this);
        return io;
    }
}
