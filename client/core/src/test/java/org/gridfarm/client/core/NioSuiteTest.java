package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.NioRoots.Over;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Set;

/** What {@code java.nio.file} promises of files and paths. */
@Timeout(60)
class NioSuiteTest {
    private static final NioRoots roots = new NioRoots();

    @BeforeAll
    static void open(@TempDir Path local) {
        roots.open(local);
    }

    @AfterAll
    static void close() throws IOException {
        roots.close();
    }

    private static Path fresh(Over over) throws IOException {
        return roots.fresh(over);
    }

    // ---- made with attributes

    @ParameterizedTest
    @EnumSource
    void whatIsMadeHasThePermissionsAskedFor(Over over) throws Exception {
        Path at = fresh(over);
        var secret =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var own =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path file = Files.createFile(at.resolve("f"), secret);
        Path directory = Files.createDirectory(at.resolve("d"), own);
        try (SeekableByteChannel open =
                Files.newByteChannel(
                        at.resolve("c"),
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        secret)) {
            open.write(bytes("x"));
        }
        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(permissions(directory)).isEqualTo("rwx------");
        assertThat(permissions(at.resolve("c"))).isEqualTo("rw-------");
        assertThat(permissions(Files.createTempFile(at, "t", "", secret))).isEqualTo("rw-------");
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void whatCannotBeHonouredIsRefused(Over over) throws Exception {
        Path at = fresh(over);
        FileAttribute<String> odd = new Odd();
        assertThatThrownBy(() -> Files.createFile(at.resolve("f"), odd))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.createDirectory(at.resolve("d"), odd))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.createSymbolicLink(at.resolve("l"), at, odd))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() ->
                        FileChannel.open(at.resolve("f"), StandardOpenOption.CREATE, OddOption.ODD))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.copy(at, at.resolve("c"), StandardCopyOption.ATOMIC_MOVE))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(
                        () -> Files.move(at, at.resolve("c"), StandardCopyOption.COPY_ATTRIBUTES))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.getAttribute(at, "odd:size"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.getAttribute(at, "basic:odd"))
                .isInstanceOf(IllegalArgumentException.class);
        try (var left = Files.list(at)) {
            assertThat(left).isEmpty();
        }
    }

    private record Odd() implements FileAttribute<String> {
        @Override
        public String name() {
            return "odd:odd";
        }

        @Override
        public String value() {
            return "";
        }
    }

    private enum OddOption implements OpenOption {
        ODD
    }

    // ---- copy and move

    @ParameterizedTest
    @EnumSource
    void copiesTakeAttributesAlongWhenAsked(Over over) throws Exception {
        Path at = fresh(over);
        Path file = Files.writeString(at.resolve("f"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx--x--x"));
        Files.setAttribute(file, "user:colour", bytes("red"));
        FileTime then = FileTime.fromMillis(1_234_567_000L);
        Files.setLastModifiedTime(file, then);
        Path copy = Files.copy(file, at.resolve("c"), StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(copy).hasContent("content");
        assertThat(permissions(copy)).isEqualTo("rwx--x--x");
        assertThat(Files.getLastModifiedTime(copy)).isEqualTo(then);
        assertThat((byte[]) Files.getAttribute(copy, "user:colour"))
                .isEqualTo(bytes("red").array());
        Path plain = Files.copy(file, at.resolve("p"));
        assertThat(Files.getLastModifiedTime(plain)).isNotEqualTo(then);
        Path foreign = fresh(over == Over.LOCAL ? Over.FARM : Over.LOCAL).resolve("x");
        Files.copy(file, foreign, StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(Files.getLastModifiedTime(foreign)).isEqualTo(then);
        assertThat(foreign).hasContent("content");
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void aCopyIsNoMorePublicThanItsSource(Over over) throws Exception {
        Path at = fresh(over);
        Path file = Files.writeString(at.resolve("f"), "secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(permissions(Files.copy(file, at.resolve("c")))).isEqualTo("rw-------");
    }

    @ParameterizedTest
    @EnumSource
    void copyAndMoveReplaceOnlyWhenAsked(Over over) throws Exception {
        Path at = fresh(over);
        Path one = Files.writeString(at.resolve("one"), "1");
        Path two = Files.writeString(at.resolve("two"), "2");
        Path full = Files.createDirectory(at.resolve("full"));
        Files.createFile(full.resolve("x"));
        assertThatThrownBy(() -> Files.copy(one, two))
                .isInstanceOfSatisfying(
                        FileAlreadyExistsException.class,
                        e -> assertThat(e.getFile()).isEqualTo(two.toString()));
        assertThatThrownBy(() -> Files.move(one, two))
                .isInstanceOfSatisfying(
                        FileAlreadyExistsException.class,
                        e -> assertThat(e.getFile()).isEqualTo(two.toString()));
        assertThatThrownBy(() -> Files.copy(one, full, StandardCopyOption.REPLACE_EXISTING))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.move(one, full, StandardCopyOption.REPLACE_EXISTING))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.move(at.resolve("none"), two))
                .isInstanceOf(NoSuchFileException.class);
        Files.copy(one, one);
        Files.move(one, one);
        assertThat(one).hasContent("1");
        Files.copy(one, two, StandardCopyOption.REPLACE_EXISTING);
        assertThat(two).hasContent("1");
        Path empty = Files.createDirectory(at.resolve("empty"));
        Files.move(two, empty, StandardCopyOption.REPLACE_EXISTING);
        assertThat(empty).hasContent("1");
        Files.move(one, empty, StandardCopyOption.ATOMIC_MOVE);
        assertThat(one).doesNotExist();
        Files.move(full, at.resolve("moved"));
        assertThat(at.resolve("moved/x")).exists();
        Files.copy(at.resolve("moved"), at.resolve("shell"));
        assertThat(at.resolve("shell")).isEmptyDirectory();
        Path link = Files.createSymbolicLink(at.resolve("link"), empty);
        Path copied = Files.copy(link, at.resolve("copied"), LinkOption.NOFOLLOW_LINKS);
        assertThat(Files.readSymbolicLink(copied)).isEqualTo(empty);
        assertThat(Files.copy(link, at.resolve("followed"))).isRegularFile().hasContent("1");
    }

    // ---- attributes

    @ParameterizedTest
    @EnumSource
    void viewsAreThereOrSaidNotToBe(Over over) throws Exception {
        Path file = Files.writeString(fresh(over).resolve("f"), "x");
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        assertThat(view.write("a", bytes("12345"))).isEqualTo(5);
        view.write("b", bytes(""));
        assertThat(view.list()).containsExactlyInAnyOrder("a", "b");
        assertThat(view.size("a")).isEqualTo(5);
        ByteBuffer into = ByteBuffer.allocate(8);
        assertThat(view.read("a", into)).isEqualTo(5);
        view.delete("b");
        assertThat(Files.readAttributes(file, "user:*")).containsOnlyKeys("a");
        assertThat(Files.getFileAttributeView(file, AclFileAttributeView.class)).isNull();
        assertThat(Files.getFileStore(file).supportsFileAttributeView(AclFileAttributeView.class))
                .isFalse();
        assertThat(Files.getFileStore(file).supportsFileAttributeView("acl")).isFalse();
        UserPrincipal owner = Files.getOwner(file);
        assertThat(Files.getAttribute(file, "owner:owner")).isEqualTo(owner);
        assertThat(Files.getAttribute(file, "posix:owner")).isEqualTo(owner);
        assertThat(
                        file.getFileSystem()
                                .getUserPrincipalLookupService()
                                .lookupPrincipalByName(owner.getName()))
                .isEqualTo(owner);
        Files.setOwner(file, owner);
        assertThat(Files.readAttributes(file, "unix:nlink,mode,uid,gid,ino"))
                .containsEntry("nlink", 1);
        assertThat(Files.readAttributes(file, "posix:permissions,size"))
                .containsOnlyKeys("permissions", "size");
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void nobodyIsMadeUp(Over over) {
        assertThatThrownBy(() ->
                        roots.root(over)
                                .getFileSystem()
                                .getUserPrincipalLookupService()
                                .lookupPrincipalByName("no-such-user"))
                .isInstanceOf(UserPrincipalNotFoundException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void aLinkHasTimesOfItsOwn(Over over) throws Exception {
        Path at = fresh(over);
        Path file = Files.writeString(at.resolve("f"), "x");
        Path link = Files.createSymbolicLink(at.resolve("l"), file);
        FileTime then = FileTime.fromMillis(1_234_567_000L);
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(then, null, null);
        assertThat(Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS)).isEqualTo(then);
        assertThat(Files.getLastModifiedTime(file)).isNotEqualTo(then);
    }

    // ---- paths

    @ParameterizedTest
    @EnumSource
    void realPathsGoThroughLinks(Over over) throws Exception {
        Path at = fresh(over).toRealPath();
        Path deep = Files.createDirectories(at.resolve("a/b"));
        Path file = Files.createFile(deep.resolve("f"));
        Path link = Files.createSymbolicLink(at.resolve("l"), at.getFileSystem().getPath("a/b"));
        Files.createSymbolicLink(at.resolve("a/up"), at.getFileSystem().getPath("../l/f"));
        assertThat((Object) link.resolve("f").toRealPath()).isEqualTo(file);
        assertThat((Object) at.resolve("a/./up").toRealPath()).isEqualTo(file);
        assertThat((Object) link.resolve("..").toRealPath()).isEqualTo(deep.getParent());
        if (over
                != Over.JIMFS) { // which follows all but the last, and has what is not there differ
            assertThatThrownBy(() -> Files.isSameFile(file, at.resolve("none")))
                    .isInstanceOf(NoSuchFileException.class);
            assertThat((Object) link.resolve("f").toRealPath(LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(link.resolve("f"));
        }
        assertThatThrownBy(() -> at.resolve("none").toRealPath())
                .isInstanceOf(NoSuchFileException.class);
        assertThat(Files.isSameFile(file, link.resolve("f"))).isTrue();
        assertThat(Files.isSameFile(file, deep)).isFalse();
        assertThat(Files.isSameFile(at.resolve("none"), at.resolve("none"))).isTrue();
        Files.createSymbolicLink(at.resolve("round"), at.resolve("round"));
        assertThatThrownBy(() -> at.resolve("round").toRealPath()).isInstanceOf(IOException.class);
        assertThat(Files.exists(at.resolve("n".repeat(300)))).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void failuresAreThoseOfLocalFiles(Over over) throws Exception {
        Path at = fresh(over);
        Path file = Files.writeString(at.resolve("f"), "x");
        assertThatThrownBy(() -> at.getFileSystem().getPath("a\0b"))
                .isInstanceOf(InvalidPathException.class);
        assertThatThrownBy(() -> Files.createDirectory(file))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> Files.createFile(at.resolve("no/f")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.newDirectoryStream(file))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.delete(at)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> file.resolve("x").toRealPath())
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> Files.readAllBytes(at)).isInstanceOf(IOException.class);
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
