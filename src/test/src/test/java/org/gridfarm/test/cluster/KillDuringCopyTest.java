package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * SIGKILL to one process while files are written: every file whose close returned is whole
 * afterwards, seen from another mount. One farm goes through all of it.
 */
class KillDuringCopyTest {
    private static final int FILES_BEFORE_KILL = 40;
    private static final int FILES_AFTER_KILL = 40;

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/copied", 2);
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"meta1", "cache1", "n2", "sched1", "mount"})
    void noAcknowledgedFileIsLost(String victim) throws Exception {
        Map<String, byte[]> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean killed = new AtomicBoolean();
        CountDownLatch warm = new CountDownLatch(FILES_BEFORE_KILL);
        Thread writer = new Thread(() -> write(victim, acknowledged, warm, killed), "writer");
        writer.start();
        warm.await();
        farm.kill(victim, "KILL");
        killed.set(true);
        if (!victim.equals("mount")) { // which its supervisor starts anew
            farm.restart(victim);
        }
        writer.join();
        assertThat(acknowledged.size()).isGreaterThanOrEqualTo(FILES_BEFORE_KILL);
        for (Map.Entry<String, byte[]> file : acknowledged.entrySet()) {
            assertThat(farm.mountOf("n3").resolve(file.getKey()))
                    .as(file.getKey())
                    .hasBinaryContent(file.getValue());
        }
    }

    private void write(
            String victim,
            Map<String, byte[]> acknowledged,
            CountDownLatch warm,
            AtomicBoolean killed) {
        Random random = new Random(Tier.seed(11));
        int after = 0;
        for (int i = 0; after < FILES_AFTER_KILL; i++) {
            after += killed.get() ? 1 : 0;
            byte[] content = new byte[random.nextInt(200_000)];
            random.nextBytes(content);
            String name = "copied/" + victim + i;
            Path file = farm.mount().resolve(name);
            try {
                Files.write(file, content);
                acknowledged.put(name, content);
            } catch (IOException e) {
                // Refused while something was down: not acknowledged, nothing is promised.
                assertThat(e.getMessage()).isNotNull();
            }
            warm.countDown();
        }
    }
}
