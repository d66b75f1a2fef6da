package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;

@Timeout(60)
class NioTest {
    @Test
    void filesAndDirectoriesWorkThroughTheStandardCalls(@TempDir Path local) throws Exception {
        try (MemoryFarm memory = new MemoryFarm(2);
                FileSystem system = new FarmFileSystemProvider().newFileSystem(memory.client())) {
            Path directory = system.getPath("/data", "deep");
            Files.createDirectories(directory);
            Path file = directory.resolve("x.txt");
            Files.writeString(file, "one\n");
            Files.writeString(file, "two\n", StandardOpenOption.APPEND);
            assertThat(Files.readAllLines(file)).isEqualTo(List.of("one", "two"));
            assertThat(Files.size(file)).isEqualTo(8);
            Files.copy(file, local.resolve("out"));
            assertThat(local.resolve("out")).hasContent("one\ntwo\n");
            Files.copy(
                    local.resolve("out"),
                    directory.resolve("y"),
                    StandardCopyOption.REPLACE_EXISTING);
            try (var walk = Files.walk(system.getPath("/"))) {
                assertThat(walk.map(Path::toString))
                        .containsExactly(
                                "/", "/data", "/data/deep", "/data/deep/x.txt", "/data/deep/y");
            }
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-r-----");
            assertThatThrownBy(() -> Files.delete(directory))
                    .isInstanceOf(DirectoryNotEmptyException.class);
            Files.delete(file);
            assertThatThrownBy(() -> Files.newInputStream(file))
                    .isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void theSchemeIsFoundAndPathsBehave() {
        assertThat(FileSystemProvider.installedProviders())
                .anyMatch(provider -> provider.getScheme().equals("gf"));
        try (MemoryFarm memory = new MemoryFarm(1)) {
            FarmFileSystemProvider provider = new FarmFileSystemProvider();
            provider.newFileSystem(memory.client());
            Path path = provider.getPath(URI.create("gf:/a/b/../c"));
            assertThat(path.normalize()).hasToString("/a/c");
            assertThat(path.getFileSystem().getPath("/").relativize(path.normalize()))
                    .hasToString("a/c");
            assertThat(path.resolveSibling("z").toUri()).hasToString("gf:/a/b/../z");
            assertThat(path.getFileSystem().getPathMatcher("glob:/a/**").matches(path)).isTrue();
        }
    }
}
