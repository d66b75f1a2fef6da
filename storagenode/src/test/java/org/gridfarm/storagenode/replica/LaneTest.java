package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.trace.Trace;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

class LaneTest {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final Lane lane = new Lane(waiting::add);

    @Test
    void whatIsDoneInTurnIsDoneForTheTraceOfWhoSubmittedIt() {
        List<String> seen = new ArrayList<>();
        Trace first = Trace.begin(Entropy.seeded(1));
        Trace second = Trace.begin(Entropy.seeded(2));
        for (Trace trace : List.of(first, second)) {
            try (Trace.Scope _ = Trace.enter(trace)) {
                lane.submit(true, () -> seen.add("done for " + Trace.current()))
                        .thenRun(() -> seen.add("followed for " + Trace.current()));
            }
        }
        lane.submit(true, () -> seen.add("done for " + Trace.current()));
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) next.run();
        assertThat(seen)
                .containsExactly(
                        "done for " + first,
                        "followed for " + first,
                        "done for " + second,
                        "followed for " + second,
                        "done for null");
    }
}
