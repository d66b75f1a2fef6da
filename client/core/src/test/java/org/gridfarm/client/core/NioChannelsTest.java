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
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What {@code java.nio.file} and {@code java.nio.channels} promise of open files. */
@Timeout(60)
class NioChannelsTest {
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

    @ParameterizedTest
    @EnumSource
    void everySetOfOpenOptionsDoesWhatItDoesToLocalFiles(Kind kind) throws Exception {
        List<OpenOption> plain =
                List.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.APPEND,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.CREATE_NEW);
        List<List<OpenOption>> extras =
                List.of(
                        List.of(),
                        List.of(StandardOpenOption.DELETE_ON_CLOSE),
                        List.of(
                                StandardOpenOption.SYNC,
                                StandardOpenOption.SPARSE,
                                LinkOption.NOFOLLOW_LINKS));
        Path farm = fresh(Over.FARM);
        Path local = fresh(Over.LOCAL);
        for (int bits = 0; bits < 1 << plain.size(); bits++) {
            for (List<OpenOption> extra : extras) {
                Set<OpenOption> options = new HashSet<>(extra);
                for (int i = 0; i < plain.size(); i++) {
                    if ((bits & 1 << i) != 0) {
                        options.add(plain.get(i));
                    }
                }
                if (kind == Kind.LINK && isOdd(options)) {
                    continue;
                }
                assertThat(outcome(farm, kind, options))
                        .as("%s %s", kind, options)
                        .isEqualTo(outcome(local, kind, options));
            }
        }
    }

    /** CREATE_NEW of what is only read: the JDK then follows links that it was told not to. */
    private static boolean isOdd(Set<OpenOption> options) {
        return options.contains(StandardOpenOption.CREATE_NEW)
                && !options.contains(StandardOpenOption.WRITE)
                && !options.contains(StandardOpenOption.APPEND);
    }

    enum Kind {
        MISSING,
        FILE,
        LINK
    }

    private static String outcome(Path in, Kind kind, Set<OpenOption> options) throws IOException {
        Path at = Files.createDirectory(in.resolve("o" + roots.next()));
        Path file = at.resolve("file");
        if (kind != Kind.MISSING) {
            Files.writeString(file, "before");
        }
        Path opened = kind == Kind.LINK ? at.resolve("link") : file;
        if (kind == Kind.LINK) {
            Files.createSymbolicLink(opened, at.getFileSystem().getPath("file"));
        }
        String did;
        try (FileChannel channel = FileChannel.open(opened, options)) {
            String wrote = tried(() -> "" + channel.write(bytes("new")) + "@" + channel.position());
            ByteBuffer into = ByteBuffer.allocate(16);
            String read =
                    tried(() ->
                            ""
                                    + channel.read(into, 1)
                                    + new String(
                                            into.array(),
                                            0,
                                            into.position(),
                                            StandardCharsets.UTF_8));
            did = wrote + " " + read + " " + Files.exists(opened, LinkOption.NOFOLLOW_LINKS);
        } catch (FileSystemLoopException e) {
            did = "IOException"; // the JDK has no better one for a link that is not to be followed
        } catch (IOException | RuntimeException e) {
            did = e.getClass().getSimpleName();
        }
        return did + " " + (Files.exists(file) ? Files.readString(file) : "gone");
    }

    private interface Trial {
        String run() throws IOException;
    }

    private static String tried(Trial trial) throws IOException {
        try {
            return trial.run();
        } catch (NonReadableChannelException | NonWritableChannelException e) {
            return e.getClass().getSimpleName();
        }
    }

    // ---- channels

    @ParameterizedTest
    @EnumSource
    void channelsReadAndWriteAnywhere(Over over) throws Exception {
        Path file = fresh(over).resolve("f");
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            assertThat(channel.write(bytes("hello"), 3)).isEqualTo(5);
            assertThat(channel.position()).isZero();
            assertThat(channel.size()).isEqualTo(8);
            assertThat(channel.write(new ByteBuffer[] {bytes("ab"), bytes("c")})).isEqualTo(3);
            ByteBuffer two = ByteBuffer.allocate(2);
            ByteBuffer rest = ByteBuffer.allocate(20);
            assertThat(channel.read(new ByteBuffer[] {two, rest})).isEqualTo(5);
            assertThat(rest.flip()).isEqualTo(bytes("llo"));
            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThat(channel.read(ByteBuffer.allocate(1), 100)).isEqualTo(-1);
            channel.force(true);
            assertThat(channel.truncate(4).position()).isEqualTo(4);
            assertThat(channel.truncate(9).size()).isEqualTo(4);
            assertThat(channel.position(10).write(bytes("z"))).isEqualTo(1);
            assertThat(Files.readAllBytes(file))
                    .isEqualTo("abch\0\0\0\0\0\0z".getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> channel.position(-1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> channel.truncate(-1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> channel.read(two, -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> channel.write(two, -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> channel.lock(-1, 1, false))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClosedChannelSaysSo(Over over) throws Exception {
        FileChannel channel =
                FileChannel.open(
                        fresh(over).resolve("f"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ);
        channel.close();
        channel.close();
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.write(bytes("x"), 0))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::position).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.force(false)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::tryLock).isInstanceOf(ClosedChannelException.class);
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptedThreadFindsItsChannelClosed(Over over) throws Exception {
        Path file = fresh(over).resolve("f");
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.write(bytes("kept"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> channel.write(bytes("x")))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(file).hasContent("kept");
    }

    @ParameterizedTest
    @EnumSource
    void bytesGoFromChannelToChannel(Over over) throws Exception {
        Path at = fresh(over);
        byte[] content = new byte[3 << 20];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31 >> 7);
        }
        Path source = Files.write(at.resolve("source"), content);
        Path foreign = fresh(over == Over.JIMFS ? Over.LOCAL : Over.JIMFS).resolve("x");
        for (Path target : List.of(at.resolve("target"), foreign)) {
            try (FileChannel from = FileChannel.open(source);
                    FileChannel to =
                            FileChannel.open(
                                    target,
                                    StandardOpenOption.CREATE_NEW,
                                    StandardOpenOption.WRITE)) {
                assertThat(from.transferTo(5, Long.MAX_VALUE, to)).isEqualTo(content.length - 5);
                assertThat(to.position()).isEqualTo(content.length - 5);
                assertThat(from.position()).isZero();
                assertThat(from.transferTo(content.length, 1, to)).isZero();
            }
            assertThat(Files.readAllBytes(target))
                    .isEqualTo(Arrays.copyOfRange(content, 5, content.length));
            try (FileChannel from = FileChannel.open(target);
                    FileChannel to = FileChannel.open(source, StandardOpenOption.WRITE)) {
                assertThat(to.transferFrom(from, 2, content.length)).isEqualTo(content.length - 5);
                assertThat(to.transferFrom(from, content.length + 1, 1)).isZero();
            }
            assertThat(Files.readAllBytes(source))
                    .startsWith(content[0], content[1], content[5], content[6]);
            Files.write(source, content);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void aRangeCanBeMappedForReading(Over over) throws Exception {
        Path file = Files.writeString(fresh(over).resolve("f"), "0123456789");
        try (FileChannel channel = FileChannel.open(file)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 2, 5);
            assertThat(StandardCharsets.UTF_8.decode(mapped).toString()).isEqualTo("23456");
            assertThat(mapped.isReadOnly()).isTrue();
            assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, 8, 5))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, -1, 5))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void locksOfOneProcessDoNotOverlap(Over over) throws Exception {
        Path file = Files.writeString(fresh(over).resolve("f"), "0123456789");
        try (FileChannel one =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileChannel two = FileChannel.open(file, StandardOpenOption.READ)) {
            FileLock lock = one.lock(0, 5, false);
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(() -> two.tryLock(4, 1, true))
                    .isInstanceOf(OverlappingFileLockException.class);
            assertThatThrownBy(() -> two.tryLock(7, 1, false))
                    .isInstanceOf(NonWritableChannelException.class);
            FileLock beside = two.tryLock(5, Long.MAX_VALUE - 5, true);
            assertThat(beside).isNotNull();
            lock.release();
            lock.release();
            assertThat(lock.isValid()).isFalse();
            FileLock again = two.lock(0, 5, true);
            two.close();
            assertThat(again.isValid()).isFalse();
            assertThatThrownBy(again::release).isInstanceOf(ClosedChannelException.class);
            assertThat(one.tryLock()).isNotNull();
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
