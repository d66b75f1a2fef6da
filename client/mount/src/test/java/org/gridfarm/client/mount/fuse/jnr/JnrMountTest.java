package org.gridfarm.client.mount.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.memory.MemoryOperations;
import org.gridfarm.protocol.name.LocalPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

/// The basic suite through libfuse 2.
@Timeout(60)
class JnrMountTest {

    @TempDir(cleanup = CleanupMode.NEVER)
    Path point;

    private final MemoryOperations operations = new MemoryOperations(Clock.systemUTC(), 0);
    private JnrMount mount;

    @BeforeEach
    void mount() {
        assumeTrue(
                Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse here, or not for this user");
        assumeTrue(
                Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libfuse.so.2"))
                        || Files.exists(Path.of("/lib/x86_64-linux-gnu/libfuse.so.2")),
                "no libfuse.so.2 (package libfuse2)");
        mount = JnrMount.mount(point, MountOptions.defaults(), operations);
    }

    @AfterEach
    void unmount() {
        if (mount != null) {
            mount.close();
        }
        // libfuse takes the mount off a moment after it was told to
        await().atMost(Duration.ofSeconds(10))
                .ignoreExceptions()
                .until(() -> Files.deleteIfExists(point) || Files.notExists(point));
    }

    /// libfuse tells names as text: of two that are not UTF-8 one would be taken for the other.
    @Test
    void namesThatAreNotUtf8AreRefused() throws IOException {
        assertThatThrownBy(() -> Files.writeString(LocalPath.of(point + "/a\udce9"), "1"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("multibyte");
        Files.writeString(LocalPath.of(point + "/\u00fc"), "2");
        assertThat(Files.readString(LocalPath.of(point + "/\u00fc"))).isEqualTo("2");
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        byte[] content = new byte[1_000_001];
        new Random(1).nextBytes(content);
        Path file = Files.write(point.resolve("f"), content);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        Files.writeString(file, "tail", StandardOpenOption.APPEND);
        assertThat(Files.size(file)).isEqualTo(content.length + 4);
    }

    @Test
    void namesAreMadeMovedLinkedAndRemoved() throws IOException {
        Path directory = Files.createDirectory(point.resolve("d"));
        Path file = Files.writeString(directory.resolve("a"), "one");
        Files.createLink(point.resolve("hard"), file);
        Files.createSymbolicLink(point.resolve("soft"), Path.of("d/a"));
        assertThat(Files.readString(point.resolve("soft"))).isEqualTo("one");
        assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
        assertThatThrownBy(() -> Files.delete(directory))
                .isInstanceOf(DirectoryNotEmptyException.class);
        Files.move(file, point.resolve("hard"), StandardCopyOption.ATOMIC_MOVE);
        Files.move(file, point.resolve("b"), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(directory);
        try (Stream<Path> names = Files.list(point)) {
            assertThat(names.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("hard", "soft", "b");
        }
    }

    @Test
    void manyEntriesAreListedOnceEach() throws IOException {
        for (int i = 0; i < 2500; i++) {
            Files.createFile(point.resolve("entry-" + i));
        }
        try (Stream<Path> entries = Files.list(point)) {
            assertThat(entries.distinct().count()).isEqualTo(2500);
        }
    }

    @Test
    void anUnlinkedFileStaysOpenAndIsGivenBack() throws IOException {
        Path file = Files.writeString(point.resolve("f"), "0123456789");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Files.delete(file);
            channel.truncate(4);
            assertThat(channel.read(ByteBuffer.allocate(16), 0)).isEqualTo(4);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> operations.open() == 0);
        assertThat(operations.held()).isEqualTo(1);
    }

    @Test
    void extendedAttributesAndTimesAreKept() throws IOException {
        Path file = Files.createFile(point.resolve("f"));
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        view.write("colour", ByteBuffer.wrap("blue".getBytes(StandardCharsets.UTF_8)));
        assertThat(view.size("colour")).isEqualTo(4);
        assertThat(view.list()).containsExactly("colour");
        FileTime time = FileTime.fromMillis(1_600_000_000_123L);
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    }
}
