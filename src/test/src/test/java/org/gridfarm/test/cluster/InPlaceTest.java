package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Files that have content are changed where they lie, by the kernel: everybody sees it, and nothing
 * that was synced is lost whoever is killed. {@code -Dgf.seed=} chooses what is done, {@code
 * -Dgf.inplace.rounds=} is how much.
 */
class InPlaceTest {
    private static final int ROUNDS = Tier.count("inplace.rounds");
    private static final int FAULTS = Tier.count("inplace.faults");
    private static final int SIZE = 1 << 20;
    private static final int RECORDS_MAX = 8;

    private final long seed = Tier.seed(1);
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void everyChangeIsSeenOnBothMounts() throws IOException {
        Programs.needPython("mmap");
        farm.sh(
                "python3 %s %s %s %d %d"
                        .formatted(
                                farm.program("inplace.py"),
                                farm.mount().resolve("in-place"),
                                farm.mountOf("n2").resolve("in-place"),
                                seed,
                                ROUNDS));
        requireSums("/in-place");
    }

    @Test
    void theKernelWritesWithoutTheMountsProcess() throws Exception {
        Path file = Files.write(farm.mount().resolve("kernel"), new byte[SIZE]);
        // Not a child of ours, which closes what we have open.
        try (ShellBeside shell = farm.shellBeside();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {2}), 0); // Linux asks once for capabilities
            long server = farm.mountServer().pid();
            shell.run("kill -STOP " + server);
            channel.write(ByteBuffer.wrap(new byte[] {1}), SIZE / 2);
            shell.run("kill -CONT " + server); // fails where it has been replaced meanwhile
        }
        assertThat(Files.readAllBytes(farm.mountOf("n2").resolve("kernel"))[SIZE / 2])
                .isEqualTo((byte) 1);
    }

    /** As a data base syncs its pages: only bytes are new. */
    @Test
    void bytesAreForcedWithoutNodeAndLeader() throws Exception {
        Path file = Files.write(farm.mount().resolve("forced"), new byte[SIZE]);
        try (ShellBeside shell = farm.shellBeside();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {2}), 0);
            channel.force(true); // the node and the leader have made the rest durable
            String servers = farm.pid("n1") + " " + farm.pid("meta1") + " " + farm.pid("cache1");
            shell.run("kill -STOP " + servers);
            channel.write(ByteBuffer.wrap(new byte[] {1}), SIZE / 2);
            channel.force(false);
            shell.run("kill -CONT " + servers);
            channel.write(ByteBuffer.wrap(new byte[] {3}), SIZE); // the file grows
            channel.force(false);
        }
        byte[] elsewhere = Files.readAllBytes(farm.mountOf("n2").resolve("forced"));
        assertThat(elsewhere).hasSize(SIZE + 1);
        assertThat(elsewhere[SIZE / 2]).isEqualTo((byte) 1);
    }

    @Test
    void nothingSyncedIsLostWithItsNodeOrTheMountsProcess() throws Exception {
        Random random = new Random(seed);
        byte[] expected = bytes(random, SIZE);
        Path file = Files.write(farm.mount().resolve("synced"), expected);
        for (int fault = 0; fault < FAULTS; fault++) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                change(channel, expected, random);
                if (fault % 2 == 0) {
                    farm.mountServer().destroyForcibly();
                } else {
                    farm.kill("n1", "KILL");
                    farm.restart("n1");
                }
                change(channel, expected, random);
            }
            assertThat(farm.mountOf("n2").resolve("synced")).hasBinaryContent(expected);
            assertThat(file).hasBinaryContent(expected);
        }
        requireSums("/synced");
    }

    /** As when the machine goes: the node and all that the mount consists of, at once. */
    @Test
    void norWithBothForEver() throws Exception {
        Random random = new Random(seed);
        byte[] expected = bytes(random, SIZE);
        Path mount = farm.anotherMount("n1");
        Path file = Files.write(mount.resolve("both"), expected);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        change(channel, expected, random);
        farm.mountServer(mount); // with all its processes there
        Supervisor supervisor = Supervisor.of(mount);
        Stream.of(supervisor.process(), supervisor.standby(), supervisor.server())
                .flatMap(Optional::stream)
                .forEach(ProcessHandle::destroyForcibly);
        farm.kill("n1", "KILL");
        farm.restart("n1");
        Path elsewhere = farm.mountOf("n2").resolve("both");
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(elsewhere).hasBinaryContent(expected));
        requireSums("/both");
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Records at random places; the content as it is to be. */
    private static void change(FileChannel channel, byte[] expected, Random random)
            throws IOException {
        int records = 1 + random.nextInt(RECORDS_MAX);
        for (int i = 0; i < records; i++) {
            byte[] record = bytes(random, 1 + random.nextInt(9_000));
            int at = random.nextInt(SIZE - record.length);
            channel.write(ByteBuffer.wrap(record), at);
            System.arraycopy(record, 0, expected, at, record.length);
        }
        channel.force(true);
    }

    /** Taken anew after a local writer has closed. */
    private static void requireSums(String path) {
        await().atMost(Duration.ofSeconds(40)) // a writer who is gone is missed for half a minute
                .until(() -> farm.hasSum(path));
        farm.requireVerified(path);
    }
}
