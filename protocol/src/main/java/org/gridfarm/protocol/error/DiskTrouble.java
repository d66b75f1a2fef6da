package org.gridfarm.protocol.error;

import java.io.IOException;
import java.util.Map;

/**
 * What an exception of the local file system means: whether the disk is at fault, or what was asked
 * of it, or this process.
 */
public final class DiskTrouble {
    /** The JDK tells an errno by the words of strerror(3) only; the launcher sees to English. */
    private static final Map<String, ErrorKind> BY_WORDS =
            Map.of(
                    "No space left on device", ErrorKind.NO_SPACE,
                    "Disk quota exceeded", ErrorKind.NO_SPACE,
                    "File too large", ErrorKind.FILE_TOO_LARGE,
                    "Too many open files", ErrorKind.OVERLOADED);

    private DiskTrouble() {}

    /** The words of the JDK for those values of errno that are told apart; else the number. */
    public static String words(int errno) {
        return switch (errno) {
            case 28 -> "No space left on device";
            case 122 -> "Disk quota exceeded";
            case 27 -> "File too large";
            case 23, 24 -> "Too many open files";
            default -> "errno " + errno;
        };
    }

    /** {@link ErrorKind#DISK_FAILED} where nothing else explains it. */
    public static ErrorKind kind(IOException e) {
        String text = String.valueOf(e.getMessage());
        for (Map.Entry<String, ErrorKind> entry : BY_WORDS.entrySet()) {
            if (text.contains(entry.getKey())) {
                return entry.getValue();
            }
        }
        return ErrorKind.DISK_FAILED;
    }
}
