package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The process of a mount is killed {@code -Dgf.append.kills} times while a program appends: what
 * the kernel asks for again was perhaps done, and is not done twice.
 */
class AppendedOnceTest {
    private static final int KILLS = Tier.count("append.kills");
    private static final int RECORD_BYTES_MAX = 8_000;
    private static final String TICK = "tick\n";
    private static final int TICKS_ELSEWHERE = 99;
    private static final String WRITE_CALL =
            System.getProperty("os.arch").equals("aarch64") ? "64 " : "1 ";
    private static final int MORE_THAN_IS_READ_AT_ONCE = 9 << 20;

    private final AtomicBoolean ending = new AtomicBoolean();
    private static TestFarm farm;
    private static Path mount;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/appended", 2);
        // Else the kernel appends to the local replica itself.
        mount = farm.mountWithoutPassthrough("n1");
    }

    @AfterEach
    void end() {
        ending.set(true);
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @ParameterizedTest(name = "open elsewhere, too: {0}")
    @ValueSource(booleans = {false, true})
    void everyRecordIsThereOnce(boolean shared) throws Exception {
        String name = shared ? "appended/shared" : "appended/alone";
        Path elsewhere = Files.createFile(farm.mount().resolve(name));
        FileChannel other = shared ? FileChannel.open(elsewhere, StandardOpenOption.WRITE) : null;
        CompletableFuture<byte[]> appended = CompletableFuture.supplyAsync(() -> append(name));
        for (int i = 0; i < KILLS && !appended.isDone(); i++) {
            farm.mountServer(mount).destroyForcibly();
        }
        ending.set(true);
        byte[] expected = appended.get();
        if (other != null) {
            other.close();
        }
        byte[] actual = Files.readAllBytes(elsewhere);
        assertThat(actual).hasSize(expected.length).isEqualTo(expected);
    }

    /**
     * The head of the chain dies before it has the record, and the leader cannot say who is next.
     */
    @Test
    void anEarlierRecordOfTheSameBytesIsNotTakenForIt() throws Exception {
        farm.awaitNodes();
        Path elsewhere = Files.createFile(farm.mount().resolve("appended/ticks"));
        try (Appender here = new Appender("appended/ticks")) {
            here.append(TICK);
            appendElsewhere(elsewhere, TICK.repeat(TICKS_ELSEWHERE));
            List<String> metaservers = List.of("meta1", "cache1");
            String head = head("ticks");
            ProcessHandle server = farm.mountServer(mount);
            metaservers.forEach(one -> farm.kill(one, "STOP"));
            farm.kill(head, "KILL"); // after which nobody can mend the chain
            try {
                here.beginAppend(TICK);
                server.destroyForcibly();
            } finally {
                metaservers.forEach(one -> farm.kill(one, "CONT"));
            }
            try {
                here.awaitAppended();
            } finally {
                farm.restart(head);
            }
        }
        assertThat(Files.readString(elsewhere)).isEqualTo(TICK.repeat(TICKS_ELSEWHERE + 2));
    }

    /** The head of the chain has the record; who is behind it does not answer. */
    @Test
    void aRecordFarBehindTheEndThatTheKernelKnowsIsFound() throws Exception {
        farm.awaitNodes();
        Path elsewhere = Files.createFile(farm.mount().resolve("appended/far"));
        try (Appender here = new Appender("appended/far")) {
            here.append(TICK);
            appendElsewhere(elsewhere, "-".repeat(MORE_THAN_IS_READ_AT_ONCE));
            long before = Files.size(elsewhere);
            ProcessHandle server = farm.mountServer(mount);
            String head = head("far");
            List<String> behind =
                    Stream.of("n1", "n2", "n3").filter(one -> !one.equals(head)).toList();
            behind.forEach(one -> farm.kill(one, "STOP"));
            try {
                here.beginAppend(TICK);
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> Files.size(elsewhere) == before + TICK.length());
                server.destroyForcibly();
            } finally {
                behind.forEach(one -> farm.kill(one, "CONT"));
            }
            here.awaitAppended();
            assertThat(Files.size(elsewhere)).isEqualTo(before + TICK.length());
        }
    }

    /** As a rule the mount's own node, where that was there when the file was made. */
    private static String head(String name) {
        return farm.client()
                .where(FarmPath.of("/appended/" + name))
                .getObjects(0)
                .getReplicas(0)
                .getNode();
    }

    private static void appendElsewhere(Path file, String text) throws IOException {
        try (FileChannel log = FileChannel.open(file, StandardOpenOption.APPEND)) {
            for (int at = 0; at < text.length(); at += TICK.length() << 15) {
                String part =
                        text.substring(at, Math.min(text.length(), at + (TICK.length() << 15)));
                assertThat(log.write(ByteBuffer.wrap(part.getBytes(StandardCharsets.US_ASCII))))
                        .isEqualTo(part.length());
            }
        }
    }

    /**
     * A program at the mount that holds a file open for appending and never asks how long it is. It
     * is a process of its own, since the kernel tells of one what call it waits in.
     */
    private static final class Appender implements AutoCloseable {
        private final Process program;
        private final BufferedReader answers;
        private final FileChannel stats; // for which nobody is asked

        Appender(String name) throws IOException {
            program =
                    new ProcessBuilder(
                                    "bash",
                                    "-c",
                                    "set -e; exec 3>>\"$0\"; while read -r word; do"
                                            + " echo \"$word\" >&3; echo appended; done",
                                    mount.resolve(name).toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            answers = program.inputReader();
            stats = FileChannel.open(mount.resolve(".gf/stats"));
        }

        void append(String line) throws IOException {
            tell(line);
            awaitAppended();
        }

        /** Returns when the process of the mount has the call and has not answered it. */
        void beginAppend(String line) throws IOException {
            tell(line);
            Path call = Path.of("/proc/" + program.pid() + "/syscall");
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> Files.readString(call).startsWith(WRITE_CALL));
            // What comes later is answered: the other was read before.
            assertThat(stats.read(ByteBuffer.allocate(100), 0)).isPositive();
        }

        private void tell(String line) throws IOException {
            program.outputWriter().write(line);
            program.outputWriter().flush();
        }

        void awaitAppended() throws IOException {
            assertThat(answers.readLine()).isEqualTo("appended");
        }

        @Override
        public void close() throws IOException {
            program.destroyForcibly();
            stats.close();
        }
    }

    /** Until told to end; everything that was appended. */
    private byte[] append(String name) {
        Random random = new Random(7);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (FileChannel log = FileChannel.open(mount.resolve(name), StandardOpenOption.APPEND)) {
            while (!ending.get()) {
                byte[] record = new byte[1 + random.nextInt(RECORD_BYTES_MAX)];
                random.nextBytes(record);
                assertThat(log.write(ByteBuffer.wrap(record))).isEqualTo(record.length);
                all.writeBytes(record);
            }
        } catch (IOException e) {
            throw new AssertionError("an append failed", e);
        }
        return all.toByteArray();
    }
}
