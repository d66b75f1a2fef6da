package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.name.NameText;
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
    void treesAreCopiedByteForByteOfTheirNames(@TempDir Path local) throws Exception {
        List<String> names = List.of("a\udce8", "a\udce9", "\u00fc");
        Path in = Files.createDirectory(local.resolve("in"));
        for (String name : names) {
            Files.write(LocalPath.child(in, Name.of(name)), NameText.bytes(name));
        }
        try (MemoryFarm memory = new MemoryFarm(1)) {
            memory.client().copyIn(in, FarmPath.of("/in"));
            assertThat(memory.client().list(FarmPath.of("/in")))
                    .extracting(info -> info.path().last().toString())
                    .containsExactlyInAnyOrderElementsOf(names);
            memory.client().copyOut(FarmPath.of("/in"), local.resolve("out"));
        }
        for (String name : names) {
            assertThat(LocalPath.child(local.resolve("out"), Name.of(name)))
                    .hasBinaryContent(NameText.bytes(name));
        }
    }

    /** A copy made once more, when what were links in the farm have become something else. */
    @Test
    void treesAreNotCopiedThroughLinksThatCameBefore(@TempDir Path local) throws Exception {
        Path home = Files.createDirectory(local.resolve("home"));
        Path mine = Files.writeString(home.resolve("mine"), "mine");
        try (MemoryFarm memory = new MemoryFarm(1)) {
            Gridfarm farm = memory.client();
            farm.mkdirs(FarmPath.of("/t"));
            farm.symlink(mine.toString(), FarmPath.of("/t/file"));
            farm.symlink(home.toString(), FarmPath.of("/t/dir"));
            Path out = local.resolve("out");
            farm.copyOut(FarmPath.of("/t"), out);
            farm.copyOut(FarmPath.of("/t"), out);
            assertThat(Files.readSymbolicLink(out.resolve("file"))).isEqualTo(mine);

            farm.delete(FarmPath.of("/t/file"));
            farm.delete(FarmPath.of("/t/dir"));
            Path theirs = Files.writeString(local.resolve("theirs"), "theirs");
            farm.copyIn(theirs, FarmPath.of("/t/file"));
            farm.mkdirs(FarmPath.of("/t/dir"));
            farm.copyIn(theirs, FarmPath.of("/t/dir/mine"));
            farm.copyOut(FarmPath.of("/t"), out);
            assertThat(mine).hasContent("mine");
            assertThat(out.resolve("file")).hasContent("theirs");
            assertThat(out.resolve("dir/mine")).hasContent("theirs");

            Path named = Files.createSymbolicLink(local.resolve("named"), mine);
            farm.copyOut(FarmPath.of("/t/file"), named);
            assertThat(mine).as("what was named is what was meant").hasContent("theirs");
        }
    }

    @Test
    void namesAreBytes() throws Exception {
        try (MemoryFarm memory = new MemoryFarm(1);
                FileSystem system = new FarmFileSystemProvider().newFileSystem(memory.client())) {
            Path one = system.getPath("/a\udce9");
            Path other = system.getPath("/a\udce8");
            Files.writeString(one, "1");
            Files.writeString(other, "2");
            assertThat(one.toUri()).isEqualTo(URI.create("gf:/a%E9"));
            assertThat(one.getFileSystem().provider().getPath(one.toUri())).isEqualTo(one);
            Path umlaut = system.getPath("/\u00fc b");
            assertThat(one.getFileSystem().provider().getPath(URI.create("gf:/\u00fc%20b")))
                    .isEqualTo(umlaut);
            assertThat(umlaut.toUri()).isEqualTo(URI.create("gf:/%C3%BC%20b"));
            try (var found = Files.newDirectoryStream(system.getPath("/"), "a?")) {
                assertThat(found).containsExactlyInAnyOrder(one, other);
            }
            assertThat(memory.client().glob("/?[!x]"))
                    .extracting(Object::toString)
                    .containsExactly("/a\udce8", "/a\udce9");
            assertThat(Files.readString(one) + Files.readString(other)).isEqualTo("12");
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
