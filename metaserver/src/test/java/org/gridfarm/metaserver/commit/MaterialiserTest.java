package org.gridfarm.metaserver.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.memory.MemoryStore;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class MaterialiserTest {
    /** A store of which folding is broken in a way that trying again does not mend. */
    private static JournalStore withoutFolding(JournalStore store) {
        return (JournalStore)
                Proxy.newProxyInstance(
                        JournalStore.class.getClassLoader(),
                        new Class<?>[] {JournalStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("fold")) {
                                throw new IllegalArgumentException("a row that no table takes");
                            }
                            try {
                                return method.invoke(store, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        });
    }

    @Test
    void aFoldThatCannotBeDoneIsToldToTheOwner() throws InterruptedException {
        MemoryStore store = new MemoryStore();
        long epoch = store.claim("test").epoch();
        CountDownLatch failed = new CountDownLatch(1);
        try (Materialiser materialiser =
                new Materialiser(
                        withoutFolding(store),
                        new WorkerThread("test"),
                        epoch,
                        0,
                        () -> {},
                        failed::countDown)) {
            ChangeBatch batch = ChangeBatch.newBuilder().setEpoch(epoch).setSequence(1).build();
            store.append(batch);
            materialiser.add(batch);
            assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(materialiser.appliedSequence()).isZero();
        }
    }
}
