package org.gridfarm.protocol.error;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * What an exception of the local file system means: whether the disk is at fault, or what was asked
 * of it, or this process.
 */
public final class DiskTrouble {
    /** The JDK tells an errno by the words of strerror(3) only; the launcher sees to English. */
    private record Known(ErrorKind kind, String words, Set<Integer> errnos) {}

    private static final List<Known> ALL =
            List.of(
                    new Known(ErrorKind.NO_SPACE, "No space left on device", Set.of(28)),
                    new Known(ErrorKind.NO_SPACE, "Disk quota exceeded", Set.of(122)),
                    new Known(ErrorKind.FILE_TOO_LARGE, "File too large", Set.of(27)),
                    new Known(ErrorKind.OVERLOADED, "Too many open files", Set.of(23, 24)));

    private DiskTrouble() {}

    /** The words of the JDK for those values of errno that are told apart; else the number. */
    public static String words(int errno) {
        return ALL.stream()
                .filter(known -> known.errnos.contains(errno))
                .findFirst()
                .map(Known::words)
                .orElse("errno " + errno);
    }

    /** {@link ErrorKind#DISK_FAILED} where nothing else explains it. */
    public static ErrorKind kind(IOException e) {
        String text = String.valueOf(e.getMessage());
        return ALL.stream()
                .filter(known -> text.contains(known.words))
                .findFirst()
                .map(Known::kind)
                .orElse(ErrorKind.DISK_FAILED);
    }
}
