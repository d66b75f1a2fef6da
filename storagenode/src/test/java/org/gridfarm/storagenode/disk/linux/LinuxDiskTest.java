package org.gridfarm.storagenode.disk.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.QuietFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

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

    /** Whoever looks at what others take away tells that from trouble, however it is looked at. */
    @Test
    void aFileThatIsNotThereIsSaidToBeAbsent() {
        Path absent = root.resolve("absent");
        assertThatThrownBy(() -> disk.openQuietly(absent)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk.date(absent)).isInstanceOf(NoSuchFileException.class);
    }

    private static String flags(Path directory) throws IOException {
        Process lsattr = new ProcessBuilder("lsattr", "-d", directory.toString()).start();
        String line = new String(lsattr.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return line.substring(0, line.indexOf(' '));
    }

    /** Else what is written in the same tick would be taken for older, and for nothing new. */
    @Test
    void whatIsWrittenAfterAFileWasDatedIsNotOlder() throws Exception {
        Path file = Files.createFile(root.resolve("dated"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        for (int i = 0; i < 200; i++) {
            disk.date(file);
            FileTime dated = Files.getLastModifiedTime(file);
            Files.writeString(file, "x");
            assertThat(dated.toInstant()).isAfter(Instant.EPOCH);
            assertThat(Files.getLastModifiedTime(file)).isGreaterThanOrEqualTo(dated);
        }
    }

    /** By its access time a mount finds out what its kernel has read. */
    @Test
    void whatIsReadQuietlyLeavesNoTrace() throws Exception {
        Path file = Files.write(root.resolve("f"), "content".getBytes(UTF_8));
        FileTime never = FileTime.from(Instant.EPOCH);
        Files.setAttribute(file, "lastAccessTime", never);
        ByteBuffer read = ByteBuffer.allocateDirect(100);
        QuietFile quiet = LinuxDisk.orPortable().openQuietly(file);
        try (quiet) {
            assertThat(quiet.read(read, 3)).isEqualTo(4);
            assertThat(quiet.read(read, 7)).isEqualTo(-1);
        }
        assertThat(UTF_8.decode(read.flip()).toString()).isEqualTo("tent");
        assertThat(Files.getAttribute(file, "lastAccessTime")).isEqualTo(never);
        assertThatThrownBy(() -> quiet.read(read.clear(), 0))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> LinuxDisk.orPortable().openQuietly(root.resolve("none")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none");
    }
}
