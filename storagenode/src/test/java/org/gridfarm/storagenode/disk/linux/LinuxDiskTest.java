package org.gridfarm.storagenode.disk.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.storagenode.disk.DiskCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel is told about a directory. */
class LinuxDiskTest {
    private final DiskCalls disk = LinuxDisk.orPortable();

    @TempDir Path root;

    @Test
    void aDirectoryIsMarkedAsOneWhoseDirectoriesLieApart() throws Exception {
        assumeTrue(Files.getFileStore(root).type().equals("ext4"));
        Path directory = Files.createDirectory(root.resolve("directory"));
        assertThat(flags(directory)).doesNotContain("T");
        disk.spread(directory);
        disk.spread(directory);
        assertThat(flags(directory)).contains("T");
    }

    @Test
    void aFileSystemWithoutSuchMarksTakesNoOffence() throws Exception {
        disk.spread(Path.of("/proc")); // answers ENOTTY
    }

    @Test
    void aDirectoryThatIsNotThereIsAnError() {
        Path absent = root.resolve("absent");
        assertThatThrownBy(() -> disk.spread(absent))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("absent");
    }

    private static String flags(Path directory) throws IOException {
        Process lsattr = new ProcessBuilder("lsattr", "-d", directory.toString()).start();
        String line = new String(lsattr.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return line.substring(0, line.indexOf(' '));
    }
}
