package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.memory.MemoryOperations;
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
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What programs do to a file system, done through the kernel to one in memory.
@Timeout(60)
class MountTest {

    @TempDir(
            cleanup =
                    CleanupMode
                            .NEVER) // it would go through the mount if that could not be taken off
    Path point;

    @TempDir Path aside;

    private MemoryOperations operations;
    private LinuxMount mount;

    @BeforeEach
    void mount() throws IOException {
        Shell.assumeFuse();
        if (operations == null) {
            operations = new MemoryOperations(Clock.systemUTC(), TimeUnit.SECONDS.toNanos(60));
        }
        mount =
                LinuxMount.mount(
                        point,
                        MountOptions.defaults()
                                .withPosixAcl(false)
                                .withFlags(Set.of(MountFlag.NO_DEV)),
                        operations);
    }

    @AfterEach
    void unmount() throws IOException {
        if (mount != null) {
            mount.close();
        }
        Files.deleteIfExists(point);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        byte[] content = new byte[3_000_001];
        new Random(1).nextBytes(content);
        Path file = point.resolve("f");
        Files.write(file, content);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        assertThat(Files.size(file)).isEqualTo(content.length);
    }

    @Test
    void renameReplacesAndKeepsTheNode() throws IOException {
        Path from = Files.writeString(point.resolve("a"), "one");
        Path to = Files.writeString(point.resolve("b"), "two");
        Object node = Files.getAttribute(from, "unix:ino");
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        assertThat(Files.readString(to)).isEqualTo("one");
        assertThat(Files.getAttribute(to, "unix:ino")).isEqualTo(node);
        assertThat(Files.exists(from)).isFalse();
    }

    @Test
    void linksShareTheFile() throws IOException {
        Path file = Files.writeString(point.resolve("a"), "x");
        Path link = Files.createLink(point.resolve("hard"), file);
        Path symbolic = Files.createSymbolicLink(point.resolve("soft"), Path.of("a"));
        Files.writeString(link, "changed");
        assertThat(Files.readString(symbolic)).isEqualTo("changed");
        assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
        assertThat(Files.readSymbolicLink(symbolic)).isEqualTo(Path.of("a"));
    }

    @Test
    void directoriesRefuseWhatTheyMust() throws IOException {
        Path directory = Files.createDirectory(point.resolve("d"));
        Files.createFile(directory.resolve("f"));
        assertThatThrownBy(() -> Files.delete(directory))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.createDirectory(directory))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> Files.delete(point.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void tenThousandEntriesAreListedOnceEach() throws IOException {
        Path directory = Files.createDirectory(point.resolve("many"));
        for (int i = 0; i < 10_000; i++) {
            Files.createFile(directory.resolve("entry-" + i));
        }
        try (Stream<Path> entries = Files.list(directory)) {
            assertThat(entries.distinct().count()).isEqualTo(10_000);
        }
        assertThat(Shell.run("ls -l " + directory + " | wc -l").strip()).isEqualTo("10001");
    }

    @Test
    void extendedAttributesAreKept() throws IOException {
        Path file = Files.createFile(point.resolve("f"));
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        view.write("colour", ByteBuffer.wrap("blue".getBytes(StandardCharsets.UTF_8)));
        assertThat(view.list()).containsExactly("colour");
        ByteBuffer value = ByteBuffer.allocate(view.size("colour"));
        view.read("colour", value);
        assertThat(new String(value.array(), StandardCharsets.UTF_8)).isEqualTo("blue");
        view.delete("colour");
        assertThat(view.list()).isEmpty();
    }

    @Test
    void truncateAppendAndUnlinkedFilesBehave() throws IOException {
        Path file = Files.writeString(point.resolve("f"), "0123456789");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.truncate(4);
            Files.writeString(file, "ab", StandardOpenOption.APPEND);
            assertThat(Files.readString(file)).isEqualTo("0123ab");
            Files.delete(file);
            ByteBuffer read = ByteBuffer.allocate(16);
            assertThat(channel.read(read, 0)).isEqualTo(6);
            channel.write(ByteBuffer.wrap(new byte[] {'z'}), 0);
        }
        assertThat(Files.exists(file)).isFalse();
    }

    @Test
    void fourAppendersLoseNoLine() throws Exception {
        String log = point.resolve("log").toString();
        assertThat(
                        Shell.run(
                                "for w in 1 2 3 4; do (for i in $(seq 500); do echo line-$w-$i >> "
                                        + log
                                        + "; done) & done; wait; sort -u "
                                        + log
                                        + " | wc -l"))
                .isEqualToIgnoringWhitespace("2000");
    }

    @Test
    void sharedMappingsAreSeenByReaders() throws Exception {
        Files.write(point.resolve("m"), new byte[8192]);
        Shell.python(
                """
                import mmap, os, sys
                fd = os.open(sys.argv[1] + "/m", os.O_RDWR)
                m = mmap.mmap(fd, 8192)
                m[4096:4101] = b"hello"
                m.flush()
                assert os.pread(fd, 5, 4096) == b"hello"
                """,
                point);
        assertThat(
                        new String(
                                Files.readAllBytes(point.resolve("m")),
                                4096,
                                5,
                                StandardCharsets.UTF_8))
                .isEqualTo("hello");
    }

    /** As when a farm is stopped under a program. */
    @Test
    void aMountThatIsInUseEndsWithItsCloseAndWhatWasChangedInMemoryIsWrittenBefore()
            throws Exception {
        Files.writeString(point.resolve("f"), "-".repeat(4096));
        Process user =
                new ProcessBuilder(
                                "python3",
                                "-c",
                                """
                                import mmap, os, sys
                                mapped = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)
                                mapped[:5] = b'hello'
                                print('changed', flush=True)
                                sys.stdin.read()
                                """,
                                point.resolve("f").toString())
                        .redirectErrorStream(true)
                        .start();
        try {
            assertThat(user.inputReader().readLine()).isEqualTo("changed");
            mount.close();
            assertThat(mount.awaitEnd(Duration.ofMillis(1))).isTrue();
            assertThat(MountTable.at(point)).isNull();
            mount();
            assertThat(Files.readString(point.resolve("f"))).startsWith("hello-");
        } finally {
            user.destroyForcibly();
        }
    }

    /** As an NFS client keeps them: the kernel knows nothing of the file but its number then. */
    @Test
    void handlesLeadToTheirFilesAfterTheMountWasMountedAgain() throws Exception {
        assumeTrue(Shell.uid() == 0, "open_by_handle_at needs CAP_DAC_READ_SEARCH");
        Files.createDirectories(point.resolve("a/b"));
        Files.writeString(point.resolve("a/b/f"), "content");
        Files.writeString(point.resolve("gone"), "");
        Path kept = aside.resolve("kept");
        Shell.python(
                HANDLES
                        + """
                        with open('%s', 'wb') as f:
                            for name in ['a/b', 'a/b/f', 'gone']:
                                f.write(bytes(handle(name)))
                        """
                                .formatted(kept),
                point);
        Files.delete(point.resolve("gone"));
        mount.close();
        mount();
        assertThat(
                        Shell.python(
                                HANDLES
                                        + """
                                        with open('%s', 'rb') as f:
                                            size = ctypes.sizeof(Handle)
                                            b, f, gone = [Handle.from_buffer_copy(f.read(size)) for _ in range(3)]
                                        print(os.read(opened(f), 100))
                                        there = opened(b)
                                        print(os.listdir(there), os.readlink('/proc/self/fd/%%d' %% there) == sys.argv[1] + '/a/b')
                                        try:
                                            opened(gone)
                                        except OSError as e:
                                            print(errno.errorcode[e.errno])
                                        """
                                                .formatted(kept),
                                point))
                .isEqualTo("b'content'\n['f'] True\nESTALE\n");
    }

    private static final String HANDLES =
            """
            import ctypes, errno, os, sys
            libc = ctypes.CDLL(None, use_errno=True)
            class Handle(ctypes.Structure):
                _fields_ = [('bytes', ctypes.c_uint), ('type', ctypes.c_int), ('handle', ctypes.c_ubyte * 128)]
            def checked(result):
                if result < 0:
                    raise OSError(ctypes.get_errno(), '')
                return result
            def handle(name):
                kept = Handle(bytes=128)
                checked(libc.name_to_handle_at(at, name.encode(), ctypes.byref(kept), ctypes.byref(ctypes.c_int()), 0))
                return kept
            def opened(kept):
                return checked(libc.open_by_handle_at(at, ctypes.byref(kept), os.O_RDONLY))
            at = os.open(sys.argv[1], os.O_RDONLY)
            """;

    /** chattr(1) is not told that it did what nobody keeps. */
    @Test
    void flagsAreUnsetAndStaySo() throws Exception {
        Files.createDirectory(point.resolve("d"));
        Files.createFile(point.resolve("f"));
        assertThat(
                        Shell.python(
                                """
                                import errno, fcntl, os, struct, sys
                                GET, SET, GET_EXTENDED, SET_EXTENDED = 0x80086601, 0x40086602, 0x801c581f, 0x401c5820
                                def said(f, command, argument):
                                    try:
                                        return fcntl.ioctl(f, command, argument).hex()
                                    except OSError as e:
                                        return errno.errorcode[e.errno]
                                for name in 'd', 'f':
                                    f = os.open(sys.argv[1] + '/' + name, os.O_RDONLY)
                                    print(name, said(f, GET, bytes(8)), said(f, SET, bytes(8)))
                                    print(said(f, SET, struct.pack('q', 0x10)), said(f, SET, struct.pack('q', 0x40)))
                                    print(said(f, GET_EXTENDED, bytes(28)).strip('0'), said(f, SET_EXTENDED, bytes(28)).strip('0'))
                                    print(said(f, SET_EXTENDED, struct.pack('IIIII8x', 0, 0, 0, 7, 0)))
                                    print(said(f, 0x80046f01, bytes(4)))
                                """,
                                point))
                .isEqualTo(
                        Stream.of("d", "f")
                                .map(name -> name + FLAGS)
                                .collect(Collectors.joining()));
        await().until(() -> operations.open() == 0);
    }

    /** Python calls EOPNOTSUPP by its other name. */
    private static final String FLAGS =
            """
             0000000000000000 0000000000000000
            ENOTSUP ENOTSUP
            \s
            ENOTSUP
            ENOTTY
            """;

    @Test
    void locksHoldBetweenProcessesAndAWaiterGetsItsTurn() throws Exception {
        Shell.python(
                """
                import fcntl, os, sys, time
                path = sys.argv[1] + "/lock"
                for lock in (fcntl.lockf, fcntl.flock):
                    f = open(path, "w")
                    lock(f, fcntl.LOCK_EX)
                    r, w = os.pipe()
                    child = os.fork()
                    if child == 0:
                        g = open(path, "w")
                        try:
                            lock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)
                            os._exit(1)
                        except BlockingIOError:
                            pass
                        os.write(w, b"x")
                        lock(g, fcntl.LOCK_EX)
                        os._exit(0)
                    os.read(r, 1)
                    lock(f, fcntl.LOCK_UN)
                    assert os.waitpid(child, 0)[1] == 0
                """,
                point);
    }

    @Test
    void aProcessWaitingForALockDiesOfASignal() throws Exception {
        Shell.python(
                """
                import fcntl, os, signal, sys, time
                path = sys.argv[1] + "/lock"
                f = open(path, "w")
                fcntl.lockf(f, fcntl.LOCK_EX)
                for number in (signal.SIGTERM, signal.SIGKILL):
                    r, w = os.pipe()
                    child = os.fork()
                    if child == 0:
                        g = open(path, "w")
                        os.write(w, b"x")
                        fcntl.lockf(g, fcntl.LOCK_EX)
                        os._exit(0)
                    os.read(r, 1)
                    while open("/proc/%d/wchan" % child).read() in ("0", ""):
                        if open("/proc/%d/stat" % child).read().split()[2] in "SD":
                            break
                    start = time.monotonic()
                    os.kill(child, number)
                    assert os.waitpid(child, 0)[1] == number
                    assert time.monotonic() - start < 1
                """,
                point);
    }

    @Test
    void temporaryFilesHolesAndCopies() throws Exception {
        Shell.python(
                """
                import os, sys
                d = sys.argv[1]
                t = os.open(d, os.O_TMPFILE | os.O_RDWR)
                h0 = os.open("/", os.O_RDONLY) # only so does it follow the link
                os.write(t, b"kept")
                os.link("/proc/self/fd/%d" % t, d + "/t", src_dir_fd=h0, follow_symlinks=True)
                assert open(d + "/t").read() == "kept"
                h = os.open(d + "/h", os.O_CREAT | os.O_RDWR)
                os.pwrite(h, b"end", 1 << 20)
                assert os.lseek(h, 0, os.SEEK_DATA) == 1 << 20
                assert os.lseek(h, 0, os.SEEK_HOLE) == 0
                os.posix_fallocate(h, 0, 4 << 20)
                assert os.fstat(h).st_size == 4 << 20
                assert os.copy_file_range(h, t, 3, 1 << 20, 0) == 3
                assert os.pread(t, 4, 0) == b"endt"
                """,
                point);
    }

    @Test
    void everyHandleAndEveryNodeIsGivenBack() throws Exception {
        for (int i = 0; i < 2000; i++) {
            Path file = point.resolve("f" + i);
            Files.writeString(file, "x");
            Files.delete(file);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> operations.open() == 0);
        await().atMost(Duration.ofSeconds(10)).until(() -> operations.held() < 100);
    }

    @Test
    void unmountingEndsTheSessionAndABusyMountSaysSo() throws Exception {
        Path file = Files.writeString(point.resolve("f"), "x");
        FileChannel open = FileChannel.open(file);
        assertThatThrownBy(() -> mount.unmount())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in use");
        open.close();
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> mount.unmount()); // the release is under way
        assertThat(mount.awaitEnd(Duration.ofSeconds(10))).isTrue();
        assertThat(MountTable.at(point.toRealPath())).isNull();
    }

    /** Whoever served the former one may end later, under the same number of a device. */
    @Test
    void theEndOfAMountLeavesTheNextOneAtItsPlaceAlone() throws Exception {
        mount.unmount();
        assertThat(mount.awaitEnd(Duration.ofSeconds(10))).isTrue();
        LinuxMount former = mount;
        mount();
        assumeThat(mount.saved().device()).isEqualTo(former.saved().device());
        former.close();
        assertThat(MountTable.at(point.toRealPath())).isNotNull();
    }
}
