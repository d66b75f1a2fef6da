package org.gridfarm.test.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a process has open. */
final class Descriptors {
    private Descriptors() {}

    /** A file below this directory, for one. */
    static boolean leadInto(Path directory, ProcessHandle process) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return open.anyMatch(each -> leadsTo(each).startsWith(directory));
        }
    }

    private static Path leadsTo(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException e) {
            return descriptor; // it was closed meanwhile
        }
    }
}
