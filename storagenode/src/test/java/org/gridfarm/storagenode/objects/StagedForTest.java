package org.gridfarm.storagenode.objects;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.rpc.Peer;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

class StagedForTest {
    private final Map<Object, Object> attached = new HashMap<>();
    private final List<Runnable> whenClosed = new ArrayList<>();
    private final List<Long> gone = new ArrayList<>();

    private final Peer client =
            (Peer)
                    Proxy.newProxyInstance(
                            Peer.class.getClassLoader(),
                            new Class<?>[] {Peer.class},
                            (_, method, arguments) ->
                                    switch (method.getName()) {
                                        case "attachment" -> attached.get(arguments[0]);
                                        case "attach" -> attached.put(arguments[0], arguments[1]);
                                        case "whenClosed" -> {
                                            whenClosed.add((Runnable) arguments[0]);
                                            yield (Runnable) () -> {};
                                        }
                                        default -> throw new AssertionError(method);
                                    });

    private void give(long first, long last) {
        StagedFor.of(client, gone::addAll)
                .add(LongStream.rangeClosed(first, last).boxed().toList());
    }

    @Test
    void whatAConnectionWasGivenLastIsToldOnceWhenItIsGone() {
        give(1, 64);
        give(65, 128);
        assertThat(gone).isEmpty();
        assertThat(whenClosed).hasSize(1);
        whenClosed.getFirst().run();
        assertThat(gone).hasSize(128).contains(1L, 128L);
    }

    /** However many files a mount makes. */
    @Test
    void noMoreAreKeptThanAClientHasAtHand() {
        for (long first = 1; first < 10_000; first += 64) give(first, first + 63);
        whenClosed.getFirst().run();
        assertThat(gone).hasSize(1024).contains(10_048L).doesNotContain(9_024L);
    }
}
