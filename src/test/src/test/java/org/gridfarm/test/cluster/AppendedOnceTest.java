package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The process of a mount is killed {@code -Dgf.append.kills} times while a program appends: what
 * the kernel asks for again was perhaps done, and is not done twice.
 */
class AppendedOnceTest {
    private static final int KILLS = Tier.count("append.kills");
    private static final int RECORD_BYTES_MAX = 8_000;

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
