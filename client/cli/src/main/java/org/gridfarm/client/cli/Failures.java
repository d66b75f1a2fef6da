package org.gridfarm.client.cli;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Turns whatever a command threw into one line on stderr and an exit status. Stack traces are shown
 * only with GF_DEBUG=1.
 */
public final class Failures {
    private Failures() {}

    public static int report(Throwable thrown) {
        FarmException failure = asFarm(thrown);
        System.err.println("gf: " + onOneLine(String.valueOf(failure.getMessage())));
        if (System.getenv("GF_DEBUG") != null) {
            thrown.printStackTrace();
        } else if (failure.kind() == ErrorKind.INTERNAL) {
            System.err.println(
                    "gf: this is a defect; run again with GF_DEBUG=1 and report what it prints");
        }
        return failure.kind().exitCode();
    }

    /** Names in it may hold ends of lines. */
    public static String onOneLine(String message) {
        return message.replace("\n", "\\n").replace("\r", "\\r");
    }

    private static FarmException asFarm(Throwable thrown) {
        FarmException failure = FarmException.of(thrown, "gf", "");
        if (failure.kind() != ErrorKind.INTERNAL) {
            return failure;
        }
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof UncheckedIOException || t instanceof IOException) {
                return local(t);
            }
        }
        return failure;
    }

    /** A failure of the local file system: its own words are the best there are. */
    private static FarmException local(Throwable t) {
        Throwable io = t instanceof UncheckedIOException && t.getCause() != null ? t.getCause() : t;
        String subject =
                io instanceof java.nio.file.FileSystemException f && f.getFile() != null
                        ? f.getFile()
                        : "";
        ErrorKind kind =
                switch (io) {
                    case java.nio.file.NoSuchFileException _ -> ErrorKind.NOT_FOUND;
                    case java.nio.file.AccessDeniedException _ -> ErrorKind.ACCESS_DENIED;
                    case java.nio.file.FileAlreadyExistsException _ -> ErrorKind.ALREADY_EXISTS;
                    case java.nio.file.NotDirectoryException _ -> ErrorKind.NOT_A_DIRECTORY;
                    default -> ErrorKind.DISK_FAILED;
                };
        String detail =
                io instanceof java.nio.file.FileSystemException f ? f.getReason() : io.getMessage();
        return new FarmException(kind, "local file", subject, detail == null ? "" : detail, t);
    }
}
