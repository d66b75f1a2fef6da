package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Asks nodes from time to time how much memory and how many GPUs they have for tasks; only the
 * scheduler wants to know. Owned by the event thread.
 */
final class Offers {
    private static final Logger log = LoggerFactory.getLogger(Offers.class);

    private final Runner runner;
    private final Slots slots;
    private final Clock clock;
    private final Executor events;
    private final Map<String, Long> asked = new HashMap<>(); // address, when

    Offers(Runner runner, Slots slots, Clock clock, Executor events) {
        this.runner = runner;
        this.slots = slots;
        this.clock = clock;
        this.events = events;
    }

    /**
     * Those that were not asked lately.
     *
     * @param learned runs when one has answered
     */
    void ask(Runnable learned) {
        long now = clock.nanoTime();
        for (NodeInfo node : slots.all()) {
            Long before = asked.get(node.getAddress());
            boolean isDue = before == null || now - before > Limits.OFFERS_EVERY.toNanos();
            if (isDue && node.getSlots() > 0 && Slots.isUsable(node)) {
                asked.put(node.getAddress(), now);
                CompletableFuture.completedFuture(node.getAddress())
                        .thenCompose(runner::tasks)
                        .whenCompleteAsync(
                                (says, failure) -> {
                                    if (failure == null) {
                                        slots.resources().learn(node.getName(), says);
                                        learned.run();
                                    } else {
                                        log.debug(
                                                "what {} offers is not known: {}",
                                                node.getName(),
                                                failure.getMessage());
                                    }
                                },
                                events);
            }
        }
    }
}
