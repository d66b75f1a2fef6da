package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.metaserver.postgres.PostgresStore;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
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

    /** As when it is restarted at that moment. */
    @Test
    void whomTheDatabaseRefusesAnythingOnceLeadsALittleLater() {
        try (TestFarm farm = new TestFarm(directory)) {
            Set<String> refused = ConcurrentHashMap.newKeySet();
            JournalStore real = PostgresStore.open(farm.database);
            MetaServerDaemon server = farm.start("ms1", true, refusingOnce(real, refused));
            TestFarm.awaitRole(server, "leader");
            assertThat(refused).contains("claim", "load", "appliedSequence");
        }
    }

    /** Each method that a promotion calls. */
    private static JournalStore refusingOnce(JournalStore real, Set<String> refused) {
        Set<String> ofPromotions = Set.of("claim", "tail", "load", "appliedSequence");
        return asked(
                real,
                (name, call) -> {
                    if (ofPromotions.contains(name) && refused.add(name)) {
                        throw new StoreException("planted", new SQLException("planted"));
                    }
                    return call.call();
                });
    }

    private static JournalStore overtaken(JournalStore real, AtomicInteger claims) {
        CountDownLatch never = new CountDownLatch(1);
        return asked(
                real,
                (name, call) -> {
                    Object answer = call.call();
                    if (name.equals("claim") && claims.incrementAndGet() == 1) {
                        real.claim("ms9");
                        never.await(2 * ServerLimits.STALL_MAX.toMillis(), TimeUnit.MILLISECONDS);
                    }
                    return answer;
                });
    }

    private interface Between {
        /**
         * @param name of the method that is called
         * @param call what the store does then
         */
        Object answer(String name, Callable<Object> call) throws Exception;
    }

    private static JournalStore asked(JournalStore real, Between between) {
        return (JournalStore)
                Proxy.newProxyInstance(
                        JournalStore.class.getClassLoader(),
                        new Class<?>[] {JournalStore.class},
                        (proxy, method, arguments) -> {
                            try {
                                return between.answer(
                                        method.getName(), () -> method.invoke(real, arguments));
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
