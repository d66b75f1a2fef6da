package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.postgres.PostgresStore;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** From elected to leading. */
class PromotionTest {
    @TempDir Path directory;

    /** As a process that is stopped just after its claim, while another takes the lead. */
    @Test
    void whoWasOvertakenBeforeItLedDoesNotLead() {
        try (TestFarm farm = new TestFarm(directory)) {
            AtomicInteger claims = new AtomicInteger();
            JournalStore real = PostgresStore.open(farm.database);
            MetaServerDaemon server = farm.start("ms1", true, overtaken(real, claims));
            TestFarm.await("a second claim", () -> claims.get() >= 2);
            TestFarm.awaitRole(server, "leader");
            assertThat(real.currentEpoch()).isEqualTo(3);
        }
    }

    private static JournalStore overtaken(JournalStore real, AtomicInteger claims) {
        CountDownLatch never = new CountDownLatch(1);
        return (JournalStore)
                Proxy.newProxyInstance(
                        JournalStore.class.getClassLoader(),
                        new Class<?>[] {JournalStore.class},
                        (proxy, method, arguments) -> {
                            Object answer;
                            try {
                                answer = method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                            if (method.getName().equals("claim") && claims.incrementAndGet() == 1) {
                                real.claim("ms9");
                                never.await(
                                        2 * ServerLimits.STALL_MAX.toMillis(),
                                        TimeUnit.MILLISECONDS);
                            }
                            return answer;
                        });
    }
}
