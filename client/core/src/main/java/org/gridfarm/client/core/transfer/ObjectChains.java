package org.gridfarm.client.core.transfer;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The chains of the objects of one file, each made when it is first used. Thread-safe. */
final class ObjectChains {
    private final ObjectChain.Source source;
    private final Wiring wiring;
    private final Map<Integer, ObjectChain> chains = new ConcurrentHashMap<>();

    ObjectChains(ObjectChain.Source source, Wiring wiring) {
        this.source = source;
        this.wiring = wiring;
    }

    ObjectChain of(int stripe) {
        return chains.computeIfAbsent(
                stripe,
                s -> new ObjectChain(s, source, wiring.nodes(), wiring.clock(), wiring.fences()));
    }

    /** Completes when what is under way has arrived, or failed. */
    CompletableFuture<Void> drained() {
        return CompletableFuture.allOf(
                chains.values().stream()
                        .map(ObjectChain::drained)
                        .toArray(CompletableFuture<?>[]::new));
    }
}
