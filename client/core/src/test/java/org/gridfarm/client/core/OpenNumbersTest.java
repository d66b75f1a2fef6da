package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Whoever goes on for a killed process opens again by the handle that the leader knows already;
 * what is opened by another one nobody would ever close.
 */
@Timeout(60)
class OpenNumbersTest {
    private static final long HANDLE = 77;

    private final MemoryFarm memory = new MemoryFarm(1);
    private final ThreadLocal<Boolean> serving = ThreadLocal.withInitial(() -> false);
    private final List<Long> numbered = new ArrayList<>(); // in the thread of the request

    private final Inheritance inheritance =
            new Inheritance() {
                @Override
                public long handle(long drawn) {
                    return serving.get() ? HANDLE : drawn;
                }

                @Override
                public long sequence(long fresh) {
                    if (serving.get()) {
                        numbered.add(fresh);
                    }
                    return fresh;
                }
            };

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void anOpenThatWaitedHasTheNumbersOfItsRequest() {
        Attributes[] own = new Attributes[1];
        Gridfarm farm = memory.client(inheritance, opensByItself(own));
        farm.create(FarmPath.of("/f"), OpenFlags.WRITE, true).close();
        Attributes file = farm.stat(FarmPath.of("/f")).attributes();
        own[0] = file;
        FileHandle reader = open(farm, file, OpenFlags.READ).join();
        assertThat(memory.metaserver.isOpen(reader.id())).as("the leader knows of it").isFalse();

        serving.set(true);
        CompletableFuture<FileHandle> opening = open(farm, file, OpenFlags.WRITE);
        serving.set(false);

        assertThat(opening.join().id()).isEqualTo(HANDLE);
        assertThat(memory.metaserver.isOpen(reader.id())).as("the open waited").isTrue();
        assertThat(memory.metaserver.isOpen(HANDLE)).isTrue();
        assertThat(numbered).hasSize(1);
    }

    private static CompletableFuture<FileHandle> open(
            Gridfarm farm, Attributes file, OpenFlags flags) {
        return farm.transfer().open(farm.metadata().self(), file.getInode(), flags);
    }

    /** Files for reading, when it knows how they stand. */
    @SuppressWarnings("unchecked")
    private static OwnDecisions opensByItself(Attributes[] now) {
        return (OwnDecisions)
                Proxy.newProxyInstance(
                        OwnDecisions.class.getClassLoader(),
                        new Class<?>[] {OwnDecisions.class},
                        (self, method, arguments) -> {
                            if (method.getName().equals("opened") && now[0] != null) {
                                return ((Function<Attributes, Object>) arguments[3]).apply(now[0]);
                            }
                            try {
                                return method.invoke(OwnDecisions.NONE, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
