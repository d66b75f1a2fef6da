package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.awaitility.Awaitility;
import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the provider costs in calls, and what only several hosts show. */
@Timeout(60)
class NioFarmTest {
    private final MemoryFarm memory = new MemoryFarm(1);
    private final Path root =
            new FarmFileSystemProvider().newFileSystem(memory.client()).getPath("/");
    private final MemoryNode node = memory.nodes.get(0);

    @AfterEach
    void close() {
        memory.close();
    }

    private FileChannel opened(Path path, StandardOpenOption... more) throws Exception {
        var options = new java.util.HashSet<StandardOpenOption>(java.util.List.of(more));
        options.add(StandardOpenOption.CREATE);
        options.add(StandardOpenOption.WRITE);
        return FileChannel.open(path, options);
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    @Test
    void filesAreWrittenInLargePieces() throws Exception {
        byte[] content = new byte[(4 << 20) + 5];
        Files.write(root.resolve("f"), content);
        assertThat(node.writes).hasValue(5);
        assertThat(memory.metaserver.calls("mutate")).isEqualTo(2); // made, and committed
        Files.copy(new java.io.ByteArrayInputStream(content), root.resolve("g"));
        assertThat(node.writes).hasValue(10);
        OutputStream closed = Files.newOutputStream(root.resolve("c"));
        closed.close();
        assertThatThrownBy(() -> closed.write(1)).isInstanceOf(ClosedChannelException.class);
        try (var lines = Files.newBufferedWriter(root.resolve("h"))) {
            for (int i = 0; i < 10_000; i++) {
                lines.write("a line of text\n");
            }
        }
        assertThat(node.writes).hasValue(11);
        assertThat(Files.size(root.resolve("h"))).isEqualTo(150_000);
    }

    @Test
    void aFileIsMadeInOneStepWithItsPermissions() throws Exception {
        Path file =
                Files.createFile(
                        root.resolve("f"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-rw-rw-")));
        assertThat(memory.metaserver.durable((Long) Files.getAttribute(file, "unix:ino")).getMode())
                .isEqualTo(0666);
        assertThat(memory.metaserver.calls("mutate")).isLessThanOrEqualTo(2);
    }

    @Test
    void manyChannelsAreOpenAtOnce() throws Exception {
        int channels = Tier.count("open.channels");
        for (int i = 0; i < 100; i++) {
            Files.write(root.resolve("f" + i), new byte[] {(byte) i});
        }
        List<FileChannel> open = new ArrayList<>();
        for (int i = 0; i < channels; i++) {
            open.add(FileChannel.open(root.resolve("f" + i % 100)));
        }
        for (int i = 0; i < open.size(); i++) {
            ByteBuffer one = bytes(2);
            assertThat(open.get(i).read(one, 0)).isEqualTo(1);
            assertThat(one.get(0)).isEqualTo((byte) (i % 100));
        }
        for (FileChannel channel : open) {
            channel.close();
        }
        Files.write(root.resolve("f0"), new byte[7]);
        assertThat(Files.size(root.resolve("f0"))).isEqualTo(7);
    }

    @Test
    void anEndIsNotAskedForToAppend() throws Exception {
        try (FileChannel channel = opened(root.resolve("f"), StandardOpenOption.APPEND)) {
            channel.write(bytes(1));
            int calls = memory.metaserver.allCalls();
            for (int i = 0; i < 10; i++) {
                channel.write(bytes(10));
            }
            assertThat(memory.metaserver.allCalls()).isEqualTo(calls);
            assertThat(node.writes).hasValue(11);
            assertThat(channel.position()).isEqualTo(101);
        }
    }

    @Test
    void everyWriteIsSyncedWhenAsked() throws Exception {
        try (FileChannel channel = opened(root.resolve("f"), StandardOpenOption.DSYNC)) {
            channel.write(bytes(10));
            assertThat(node.syncs).hasValue(1);
            channel.write(bytes(10), 0);
            assertThat(node.syncs).hasValue(2);
        }
        int before = node.syncs.get();
        try (OutputStream out =
                Files.newOutputStream(
                        root.resolve("g"), StandardOpenOption.CREATE, StandardOpenOption.SYNC)) {
            out.write(1);
            assertThat(node.syncs).hasValue(before + 1);
        }
    }

    @Test
    void anInterruptEndsAWriteThatHangs() throws Exception {
        FileChannel channel = opened(root.resolve("f"));
        channel.write(bytes(10));
        node.hangs = true;
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread writer =
                new Thread(() -> {
                    try {
                        channel.write(bytes(10));
                        failure.complete(new AssertionError("written"));
                    } catch (Throwable e) {
                        failure.complete(e);
                    }
                });
        writer.start();
        Awaitility.await().until(() -> writer.getState() == Thread.State.WAITING);
        writer.interrupt();
        assertThat(failure.get()).isInstanceOf(ClosedByInterruptException.class);
        assertThat(channel.isOpen()).isFalse();
        node.hangs = false;
        writer.join();
    }

    @Test
    void anInterruptedThreadIsToldSoWhenItOpens() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> opened(root.resolve("f")))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aLockIsHeldAgainstOtherHosts() throws Exception {
        Path there = new FarmFileSystemProvider().newFileSystem(memory.client()).getPath("/", "f");
        try (FileChannel here = opened(root.resolve("f"));
                FileChannel other = opened(there)) {
            FileLock lock = here.lock(0, 10, false);
            assertThat(other.tryLock(5, 1, false)).isNull();
            assertThat(other.tryLock(10, 1, false)).isNotNull();
            CompletableFuture<FileLock> waits = new CompletableFuture<>();
            Thread waiting =
                    new Thread(() -> {
                        try {
                            waits.complete(other.lock(5, 1, false));
                        } catch (Throwable e) {
                            waits.completeExceptionally(e);
                        }
                    });
            waiting.start();
            Awaitility.await().until(() -> memory.metaserver.names().waiting() == 1);
            assertThat(waits).isNotDone();
            lock.release();
            assertThat(waits.get().isValid()).isTrue();
            here.close();
            waiting.join();
        }
    }

    @Test
    void whoWaitsForALockHearsOfInterruptAndClose() throws Exception {
        Path there = new FarmFileSystemProvider().newFileSystem(memory.client()).getPath("/", "f");
        try (FileChannel here = opened(root.resolve("f"));
                FileChannel other = opened(there)) {
            FileLock lock = here.lock();
            assertThat(waiting(other, Thread::interrupt))
                    .isInstanceOf(FileLockInterruptionException.class);
            assertThat(other.isOpen()).isTrue();
            assertThat(waiting(other, thread -> other.close()))
                    .isInstanceOf(AsynchronousCloseException.class);
            lock.release();
        }
    }

    private interface Step {
        void with(Thread thread) throws Exception;
    }

    private Throwable waiting(FileChannel channel, Step step) throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread thread =
                new Thread(() -> {
                    try {
                        channel.lock();
                        failure.complete(new AssertionError("locked"));
                    } catch (Throwable e) {
                        failure.complete(e);
                    }
                });
        thread.start();
        Awaitility.await().until(() -> memory.metaserver.names().waiting() == 1);
        step.with(thread);
        Throwable told = failure.get();
        thread.join();
        Awaitility.await().until(() -> memory.metaserver.names().waiting() == 0);
        return told;
    }

    @Test
    void aClosedFileSystemSaysSo() throws Exception {
        root.getFileSystem().close();
        assertThatThrownBy(() -> Files.readAllBytes(root.resolve("f")))
                .isInstanceOf(ClosedFileSystemException.class);
        assertThatThrownBy(() -> Files.exists(root)).isInstanceOf(ClosedFileSystemException.class);
    }
}
