package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.nio.file.ExtendedOpenOption;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A storage node is stopped while files at level 2 are read and written, at a mount and from far.
 */
@Tag("alone")
class HungNodeTest {
    private static final int FILES = 12;
    private static final int BYTES = 4 << 20;
    private static final int PIECE = 64 << 10;
    private static final Duration STOPPED = Duration.ofMillis(Tier.count("hang.millis"));
    private static final long READ_MILLIS_MAX = 2_000;
    private static final long WRITE_MILLIS_MAX = 10_000;

    /** For threads that are not scheduled at once. */
    private static final long ALLOWANCE_MILLIS = Integer.getInteger("gf.hang.allowance", 1_000);

    private static TestFarm farm;
    private static Gridfarm client;
    private static byte[][] contents = new byte[FILES][];

    private final Map<String, Long> slowest = new ConcurrentSkipListMap<>();
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/hung", 2);
        client = Gridfarm.open(ClientConfig.read(farm.directory().resolve("client.toml")));
        for (int i = 0; i < FILES; i++) {
            contents[i] = new byte[BYTES];
            new Random(i).nextBytes(contents[i]);
            try (FarmFile file = client.create(path(i), OpenFlags.WRITE, true)) {
                file.write(0, ByteBuffer.wrap(contents[i]));
            }
        }
    }

    @AfterAll
    static void stopFarm() throws IOException {
        if (client != null) {
            client.close();
        }
        if (farm != null) {
            farm.close();
        }
    }

    private static FarmPath path(int number) {
        return FarmPath.of("/hung/f" + number);
    }

    private interface Loop {
        void once(int round) throws Exception;
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    private CompletableFuture<Void> looping(Loop loop) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        for (int round = 0; !stop.get(); round++) {
                            loop.once(round);
                        }
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                },
                task -> Thread.ofPlatform().start(task));
    }

    private <T> T timed(String name, Call<T> call) throws IOException {
        long began = System.nanoTime();
        T result;
        try {
            result = call.run();
        } catch (IOException e) {
            throw new IOException(
                    "%s, after %d ms: %s"
                            .formatted(
                                    name, (System.nanoTime() - began) / 1_000_000, e.getMessage()),
                    e);
        }
        slowest.merge(name, (System.nanoTime() - began) / 1_000_000, Math::max);
        calls.merge(name, 1, Integer::sum);
        return result;
    }

    /** First the mount's own node; to everybody else all nodes are alike. */
    private static List<String> victims() {
        return List.of("n1", "n2", "n3").subList(0, Tier.count("hung.nodes"));
    }

    @ParameterizedTest
    @MethodSource("victims")
    void readsWaitTwoSecondsAtMostAndWritesTen(String victim) {
        List<CompletableFuture<Void>> loops = new ArrayList<>();
        loops.add(looping(this::readFromFar));
        loops.add(looping(this::readAtTheMount));
        loops.add(looping(round -> writeFromFar(victim, round)));
        loops.add(looping(round -> writeAtTheMount(victim, round)));
        await("each kind of call was made")
                .atMost(Duration.ofSeconds(60))
                .until(() -> calls.size() >= 7 || isOver(loops));
        slowest.clear(); // what a call takes that is the first of its kind is not the node's doing
        farm.kill(victim, "STOP");
        try {
            long until = System.nanoTime() + STOPPED.toNanos();
            await().atMost(STOPPED.multipliedBy(2))
                    .until(() -> System.nanoTime() > until || isOver(loops));
        } finally {
            farm.kill(victim, "CONT");
            stop.set(true);
        }
        loops.forEach(CompletableFuture::join);
        System.out.println(victim + " stopped: slowest calls in ms " + slowest + " of " + calls);
        slowest.forEach((name, millis) ->
                assertThat(millis)
                        .as(name)
                        .isLessThanOrEqualTo(
                                ALLOWANCE_MILLIS
                                        + (name.startsWith("read")
                                                ? READ_MILLIS_MAX
                                                : WRITE_MILLIS_MAX)));
        await("the stopped node is heard of")
                .atMost(Duration.ofSeconds(90))
                .until(() ->
                        client.nodes().stream().allMatch(node -> node.getState().equals("up")));
    }

    private static boolean isOver(List<CompletableFuture<Void>> loops) {
        return loops.stream().anyMatch(CompletableFuture::isDone);
    }

    private void readFromFar(int round) throws IOException {
        int number = round % FILES;
        try (FarmFile file = client.open(path(number), OpenFlags.READ)) {
            for (int at = 0; at < BYTES && !stop.get(); at += 8 * PIECE) {
                int from = at;
                ByteBuffer into = ByteBuffer.allocate(PIECE);
                timed("read from far", () -> file.read(from, into));
                requireRight(number, from, into);
            }
        }
    }

    /** Past the page cache. */
    private void readAtTheMount(int round) throws IOException {
        int number = round % FILES;
        Path path = farm.mount().resolve("hung/f" + number);
        try (FileChannel file =
                timed(
                        "read: open at the mount",
                        () ->
                                FileChannel.open(
                                        path,
                                        StandardOpenOption.READ,
                                        ExtendedOpenOption.DIRECT))) {
            for (int at = 0; at < BYTES && !stop.get(); at += 8 * PIECE) {
                int from = at;
                ByteBuffer into = ByteBuffer.allocateDirect(PIECE + 4096).alignedSlice(4096);
                into.limit(PIECE);
                timed("read at the mount", () -> file.read(into, from));
                requireRight(number, from, into);
            }
        }
    }

    private static void requireRight(int number, int from, ByteBuffer got) {
        got.flip();
        assertThat(got.remaining()).isPositive();
        assertThat(got).isEqualTo(ByteBuffer.wrap(contents[number], from, got.remaining()));
    }

    private void writeFromFar(String victim, int round) throws IOException {
        FarmPath path = FarmPath.of("/hung/far-" + victim + round);
        FarmFile file = timed("create from far", () -> client.create(path, OpenFlags.WRITE, true));
        timed(
                "write from far",
                () -> {
                    file.write(0, ByteBuffer.wrap(contents[0], 0, 4 * PIECE));
                    file.sync();
                    file.close();
                    return true;
                });
    }

    private void writeAtTheMount(String victim, int round) throws IOException {
        Path path = farm.mount().resolve("hung/near-" + victim + round);
        FileChannel file =
                timed(
                        "create at the mount",
                        () ->
                                FileChannel.open(
                                        path,
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.WRITE));
        timed("write at the mount", () -> file.write(ByteBuffer.wrap(contents[0], 0, 4 * PIECE)));
        timed(
                "fsync at the mount",
                () -> {
                    file.force(true);
                    return true;
                });
        timed(
                "close at the mount",
                () -> {
                    file.close();
                    return true;
                });
    }
}
