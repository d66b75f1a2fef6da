package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Nobody waits for a disk on a thread that others need. */
class LocalDiskTest {
    private final Loops loops = Loops.start("disk-test", 1);
    private final Executor network = loops.group().next();
    private final LocalDisk disk = new LocalDisk();

    @TempDir Path directory;

    @AfterEach
    void end() {
        loops.close();
    }

    @Test
    void whoMayWaitDoesItHimself() {
        assertThat(disk.get(Thread::currentThread)).isCompletedWithValue(Thread.currentThread());
    }

    @Test
    void whatComesFromTheNetworkOrTheClockGoesOnElsewhere() throws Exception {
        assertThat(fromNetwork(() -> Thread.currentThread().getName()).get())
                .startsWith("gf-disk-");
        CompletableFuture<String> timed = new CompletableFuture<>();
        Clock.system()
                .after(
                        Duration.ZERO,
                        () -> disk.run(() -> timed.complete(Thread.currentThread().getName())));
        assertThat(timed.get()).startsWith("gf-disk-");
    }

    /** Neither the network nor what concerns other files waits for what a disk does not answer. */
    @Test
    void aDiskThatHangsHoldsUpThoseAloneWhoWaitForIt() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> hanging = new ArrayList<>();
        for (int i = 1; i < LocalDisk.THREADS_MAX; i++) {
            hanging.add(fromNetwork(() -> awaited(answers)));
        }
        assertThat(fromNetwork(() -> "other").get()).isEqualTo("other");
        hanging.add(fromNetwork(() -> awaited(answers))); // now no thread is left
        CompletableFuture<String> behind = fromNetwork(() -> "behind");
        CompletableFuture.runAsync(() -> {}, network).get();
        assertThat(hanging).noneMatch(CompletableFuture::isDone);
        assertThat(behind).isNotDone();
        answers.countDown();
        assertThat(behind.get()).isEqualTo("behind");
        for (CompletableFuture<Boolean> one : hanging) {
            assertThat(one.get()).isTrue();
        }
    }

    @Test
    void aReplicaIsNeitherOpenedNorLookedAtNorClosedByTheNetwork() throws Exception {
        Path file = Files.createFile(directory.resolve("staged"));
        StagedFile staged = StagedFile.newBuilder().setPath(file.toString()).build();
        assertMisplaced(() -> LocalReplica.staged(staged));
        LocalReplica replica = LocalReplica.staged(staged);
        assertMisplaced(replica::isUntouched);
        assertMisplaced(() -> replica.readThere(0, 1));
        assertMisplaced(replica::close);
        assertThat(CompletableFuture.supplyAsync(replica::size, network).get()).isZero();
        assertThat(fromNetwork(replica::isUntouched).get()).isTrue();
        replica.close();
    }

    private interface Step {
        void run() throws IOException;
    }

    private void assertMisplaced(Step step) {
        CompletableFuture<Boolean> tried = new CompletableFuture<>();
        network.execute(() -> {
            try {
                step.run();
                tried.complete(true);
            } catch (IOException | AssertionError e) {
                tried.completeExceptionally(e);
            }
        });
        assertThatThrownBy(tried::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(AssertionError.class)
                .hasMessage(LocalDisk.MISPLACED);
    }

    /** A step that somebody comes to who has heard something from a server. */
    private <T> CompletableFuture<T> fromNetwork(Supplier<T> step) {
        return CompletableFuture.supplyAsync(() -> disk.get(step), network)
                .thenCompose(begun -> begun);
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
