package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.client.mount.fuse.FuseOperations.ROOT;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// What the engine owes beyond carrying requests: deadlines, signals, invalidation, passthrough, an
/// end that always comes.
@Timeout(60)
class EngineTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir(cleanup = CleanupMode.NEVER)
    Path point;

    @TempDir Path aside;

    private final WaitingOperations operations = new WaitingOperations();
    private LinuxMount mount;

    @BeforeEach
    void mount() throws IOException {
        Shell.assumeFuse();
        mount =
                LinuxMount.mount(
                        point,
                        MountOptions.defaults()
                                .withPosixAcl(false)
                                .withDeadline(Duration.ofSeconds(2)),
                        operations);
    }

    @AfterEach
    void unmount() throws IOException {
        if (mount != null) {
            mount.close();
        }
        Files.deleteIfExists(point);
    }

    private Process mkdir(String name) throws IOException {
        return new ProcessBuilder("mkdir", point.resolve(name).toString())
                .redirectErrorStream(true)
                .start();
    }

    private EntryReply held() {
        await().atMost(SOON).until(() -> !operations.waiting.isEmpty());
        return operations.waiting.remove();
    }

    @Test
    void anOperationThatIsNeverAnsweredTimesOutAndItsLateAnswerIsDropped() throws Exception {
        Process process = mkdir("wait");
        EntryReply reply = held();
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(process.getInputStream().readAllBytes())).contains("timed out");
        assertThat(mount.timeouts()).isEqualTo(1);
        assertThat(reply.fail(Errno.EEXIST)).isFalse();
        Files.createDirectory(point.resolve("others"));
    }

    @Test
    void manyWaitingOperationsHoldNoWorkerUp() throws Exception {
        Process[] processes = new Process[20];
        for (int i = 0; i < processes.length; i++) {
            // in directories of their own: the kernel lets one change at a time into each
            Files.createDirectory(point.resolve("d" + i));
            processes[i] = mkdir("d" + i + "/wait");
        }
        await().atMost(SOON).until(() -> operations.waiting.size() == processes.length);
        assertThat(Shell.run("stat -c %F " + point).strip()).isEqualTo("directory");
        operations.waiting.forEach(reply -> assertThat(reply.fail(Errno.EACCES)).isTrue());
        for (Process process : processes) {
            process.waitFor();
        }
    }

    @Test
    void aKilledCallerIsLetGo() throws Exception {
        Process process = mkdir("wait");
        EntryReply reply = held();
        long start = System.nanoTime();
        process.destroyForcibly();
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - start).isLessThan(1_000_000_000L);
        assertThat(reply.fail(Errno.EIO)).isFalse();
        assertThat(reply.callerKilled()).isTrue();
    }

    @Test
    void whatAKilledProcessHadOpenKeepsNobodyWaiting() throws Exception {
        operations.holdsFlushes = true;
        Process process =
                new ProcessBuilder(
                                "sh", "-c", "exec 3>" + point.resolve("open") + "; exec sleep 60")
                        .start();
        await().until(() -> Files.exists(point.resolve("open")));
        process.destroyForcibly();
        assertThat(process.waitFor(1500, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(mount.timeouts()).isZero();
        await().until(() -> !operations.flushes.isEmpty());
        EmptyReply flush = operations.flushes.remove();
        assertThat(flush.done()).as("somebody heard").isFalse();
        assertThat(flush.callerKilled()).isTrue();
    }

    @Test
    void whatAProcessThatEndsByItselfHadOpenIsWaitedFor() throws Exception {
        operations.holdsFlushes = true;
        Process process =
                new ProcessBuilder("sh", "-c", "exec 3>" + point.resolve("open") + "; exit 0")
                        .start();
        await().until(() -> !operations.flushes.isEmpty());
        assertThat(process.waitFor(400, TimeUnit.MILLISECONDS)).isFalse();
        operations.flushes.forEach(EmptyReply::done);
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aSignalRunsTheHookOfTheOperation() throws Exception {
        AtomicInteger told = new AtomicInteger();
        operations.onWait =
                reply ->
                        reply.onInterrupt(() -> {
                            told.incrementAndGet();
                            reply.fail(Errno.EINTR);
                        });
        Process process = mkdir("wait");
        EntryReply reply = held();
        process.destroy();
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        await().atMost(SOON).until(() -> told.get() == 1);
        assertThat(reply.callerKilled()).isFalse();
    }

    @Test
    void whatFollowsAnAnswerIsDoneOnceWhoeverGaveIt() throws Exception {
        AtomicInteger done = new AtomicInteger();
        operations.onWait = reply -> reply.afterAnswer(done::incrementAndGet);
        Process process = mkdir("wait-answered");
        EntryReply reply = held();
        assertThat(done).hasValue(0);
        reply.fail(Errno.EIO);
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(done).hasValue(1);
        operations.onWait = next -> next.afterAnswer(done::incrementAndGet);
        process = mkdir("wait-abandoned");
        reply = held();
        assertThat(done).hasValue(1);
        process.destroy();
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        await().atMost(SOON).until(() -> done.get() == 2);
        assertThat(reply.fail(Errno.EIO)).isFalse();
        assertThat(done).hasValue(2);
    }

    @Test
    void workersThatAreHeldUpAreReinforced() throws Exception {
        operations.onWait =
                reply -> {
                    synchronized (operations.ways) {
                        try {
                            operations.ways.wait(); // what an operation must not do
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                };
        for (int i = 0; i < 3; i++) {
            Files.createDirectory(point.resolve("d" + i));
        }
        Process[] processes = {mkdir("d0/wait"), mkdir("d1/wait")};
        for (Process process : processes) {
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(mount.timeouts()).isEqualTo(2);
        synchronized (operations.ways) {
            operations.ways.notifyAll();
        }
    }

    @Test
    void namesAreLookedUpAgainOnceExpired() throws Exception {
        Path file = Files.writeString(point.resolve("seen"), "x");
        long number = (Long) Files.getAttribute(file, "unix:ino");
        // behind the kernel's back
        operations.unlink(new Ignored(), ROOT, RawName.of("seen"));
        assertThat(Files.exists(file)).isTrue();
        BlockingQueue<Integer> outcome = new ArrayBlockingQueue<>(1);
        operations
                .running()
                .cache()
                .recall(
                        ROOT,
                        new RawName[] {RawName.of("seen")},
                        new long[] {number},
                        outcome::add);
        assertThat(outcome.poll(10, TimeUnit.SECONDS)).isZero();
        assertThat(Files.exists(file)).isFalse();
    }

    /// The kernel looks both names up under both directories' locks, and then cannot move a
    /// directory that it knows at another place: what that answers is ESTALE.
    @Test
    void aDirectoryThatAnotherMountMovedIsMovedOn() throws Exception {
        Path to = Files.createDirectory(point.resolve("to"));
        Path moved = Files.createDirectory(point.resolve("moved"));
        Files.createFile(moved.resolve("inside"));
        anotherMountMoves("moved", to);
        Files.move(to.resolve("moved"), point.resolve("back"), ATOMIC_MOVE);
        assertThat(point.resolve("back").resolve("inside")).exists();
    }

    /// No names on the way are looked up before the locks are taken.
    @Test
    void aDirectoryThatAnotherMountMovedIsMovedOnByDescriptors() throws Exception {
        Path to = Files.createDirectory(point.resolve("to"));
        Path moved = Files.createDirectory(point.resolve("moved"));
        Files.createFile(moved.resolve("inside"));
        anotherMountMoves("moved", to);
        Shell.python(
                """
                import os, sys
                here = os.open(sys.argv[1], os.O_RDONLY)
                to = os.open('to', os.O_RDONLY, dir_fd=here)
                os.rename('moved', 'back', src_dir_fd=to, dst_dir_fd=here)
                """,
                point);
        assertThat(point.resolve("back").resolve("inside")).exists();
        assertThat(to.resolve("moved")).doesNotExist();
    }

    @Test
    void aDirectoryThatWasMovedIsFoundWhileChangesAreUnderWayWhereItWas() throws Exception {
        Path to = Files.createDirectory(point.resolve("to"));
        Files.createDirectory(point.resolve("moved"));
        anotherMountMoves("moved", to);
        Process process = mkdir("wait");
        EntryReply reply = held();
        CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> reply.fail(Errno.EACCES));
        assertThat(Shell.run("stat -c %F " + to + "/moved")).isEqualTo("directory\n");
        process.waitFor();
    }

    /// Of ESTALE the kernel would tell the program: it walks the path again for most calls, but not
    /// for these.
    @Test
    void whatIsMadeWhereADirectoryHasMovedToIsThereAlready() throws Exception {
        Path to = Files.createDirectory(point.resolve("to"));
        Files.createDirectory(point.resolve("moved"));
        Files.createFile(to.resolve("file"));
        anotherMountMoves("moved", to);
        Process process = mkdir("wait");
        EntryReply reply = held();
        String seen =
                Shell.python(
                        """
                        import errno, os, sys
                        os.chdir(sys.argv[1])
                        for call in [
                            lambda: os.mkdir('moved'),
                            lambda: os.mkfifo('moved'),
                            lambda: os.symlink('x', 'moved'),
                            lambda: os.link('file', 'moved'),
                        ]:
                            try:
                                call()
                                print('made')
                            except OSError as e:
                                print(errno.errorcode[e.errno])
                        """,
                        to);
        reply.fail(Errno.EACCES);
        process.waitFor();
        assertThat(seen.lines()).containsExactly("EEXIST", "EEXIST", "EEXIST", "EEXIST");
        assertThat(Shell.run("stat -c %F " + to + "/moved")).isEqualTo("directory\n");
    }

    private static long number(Path directory) throws IOException {
        return (Long) Files.getAttribute(directory, "unix:ino");
    }

    private void anotherMountMoves(String name, Path to) throws IOException {
        RawName raw = RawName.of(name);
        operations.rename(new Ignored(), ROOT, raw, number(to), raw, 0);
    }

    @Test
    void aRecallDoesNotWaitForARequestOfTheSameMount() throws Exception {
        assumeTrue(
                operations.running().minor() >= 44, "no epochs before protocol 7.44 (Linux 6.16)");
        Path file = Files.writeString(point.resolve("seen"), "x");
        Process process = mkdir("wait");
        EntryReply reply = held();
        operations.unlink(new Ignored(), ROOT, RawName.of("seen"));
        BlockingQueue<Integer> outcome = new ArrayBlockingQueue<>(1);
        operations
                .running()
                .cache()
                .recall(ROOT, new RawName[] {RawName.of("seen")}, new long[0], outcome::add);
        assertThat(outcome.poll(1, TimeUnit.SECONDS)).isZero();
        assertThat(reply.fail(Errno.EACCES)).isTrue();
        process.waitFor();
        assertThat(Files.exists(file)).isFalse();
    }

    /// A notice between a question and its answer has the kernel go on with the size of before.
    @Test
    void aRecallOfWhatIsNotBelievedHidesNoAnswer() throws Exception {
        Path file = Files.write(point.resolve("grows"), new byte[10]);
        long node = number(file);
        recallAttributes(node);
        SetAttributes longer = new SetAttributes();
        longer.valid = SetAttributes.SIZE;
        longer.size = 20;
        operations.setattr(new Ignored(), node, longer);
        operations.onAttributes = () -> recallAttributes(node);
        String told =
                Shell.python(
                        """
                        import os, sys
                        file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
                        os.write(file, b'x')
                        print(os.lseek(file, 0, os.SEEK_CUR))
                        """,
                        file);
        assertThat(told).isEqualTo("21\n");
    }

    private void recallAttributes(long node) {
        CompletableFuture<Integer> outcome = new CompletableFuture<>();
        operations.running().cache().recallAttributes(node, outcome::complete);
        assertThat(outcome.orTimeout(10, TimeUnit.SECONDS).join()).isZero();
    }

    @Test
    void anAnswerBuiltBeforeARecallAndSentAfterItIsNotBelieved() throws Exception {
        Process process = mkdir("wait");
        EntryReply reply = held();
        BlockingQueue<Integer> outcome = new ArrayBlockingQueue<>(1);
        operations.running().cache().recall(ROOT, new RawName[0], new long[0], outcome::add);
        assertThat(outcome.poll(10, TimeUnit.SECONDS)).isZero();
        operations.goOn(reply, "wait");
        assertThat(process.waitFor()).isZero();
        int before = operations.lookups.get();
        assertThat(Files.isDirectory(point.resolve("wait"))).isTrue();
        assertThat(operations.lookups.get()).isGreaterThan(before);
    }

    @Test
    void contentIsSentFromAnyBuffer() throws Exception {
        byte[] content = new byte[300_000];
        new Random(3).nextBytes(content);
        Path direct = Files.write(point.resolve("direct"), content);
        Path heap = Files.write(point.resolve("heap"), content);
        for (Path file : new Path[] {direct, heap}) {
            long number = (Long) Files.getAttribute(file, "unix:ino");
            BlockingQueue<Integer> outcome = new ArrayBlockingQueue<>(1);
            operations.running().cache().forgetData(number, 0, 0, outcome::add);
            assertThat(outcome.poll(10, TimeUnit.SECONDS)).isZero();
        }
        new Random(4).nextBytes(content); // not what was written: only the buffers hold it
        operations.served = ByteBuffer.allocateDirect(content.length).put(content).flip();
        assertThat(Files.readAllBytes(direct)).isEqualTo(content);
        operations.served = ByteBuffer.wrap(content);
        assertThat(Files.readAllBytes(heap)).isEqualTo(content);
    }

    @Test
    void aBackingFileIsReadByTheKernelItself() throws Exception {
        Path file = Files.writeString(point.resolve("f"), "from memory, as long");
        Path local = Files.writeString(aside.resolve("local"), "from the local file!");
        var probe = operations.backing(local);
        if (probe == null) {
            throw new TestAbortedException(operations.running().passthrough().refusal());
        }
        probe.release();
        // a cached open that is not released yet would forbid it
        await().atMost(SOON).until(() -> operations.open() == 0);
        operations.local = local;
        assertThat(Shell.run("cat " + file)).isEqualTo("from the local file!");
        await().atMost(SOON).until(() -> operations.ways.size() == 0);
    }

    @Test
    void aMappingAloneCountsAsOpenForWriting() throws Exception {
        Path local = Files.writeString(aside.resolve("mapped"), "x".repeat(5000));
        var kernel = operations.running().passthrough();
        assertThat(kernel.isOpenForWriting(local)).isFalse();
        try (Arena arena = Arena.ofConfined()) {
            try (FileChannel channel = FileChannel.open(local, READ, WRITE)) {
                assertThat(kernel.isOpenForWriting(local)).isTrue();
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 5000, arena);
            }
            assertThat(kernel.isOpenForWriting(local)).isTrue();
        }
        assertThat(kernel.isOpenForWriting(local)).isFalse();
        try (FileChannel reader = FileChannel.open(local, READ)) {
            assertThat(reader.isOpen()).isTrue();
            assertThat(kernel.isOpenForWriting(local)).isFalse();
        }
        assertThat(kernel.isOpenForWriting(aside.resolve("none"))).isFalse();
    }

    @Test
    void aFileSystemThatHangsIsTakenOffByForce() throws Exception {
        Process process = mkdir("wait");
        held();
        mount.abort();
        assertThat(mount.awaitEnd(Duration.ofSeconds(5))).isTrue();
        assertThat(process.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(MountTable.at(point.toRealPath())).isNull();
    }
}
