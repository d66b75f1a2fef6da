package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.chain.ObjectChain;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.protocol.wire.Layout;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The chains of the objects of one file, each made when it is first used. Thread-safe. */
public final class ObjectChains implements ObjectChain.Source {
    private final OpenInode open;
    private final Wiring wiring;
    private final Map<Integer, ObjectChain> chains = new ConcurrentHashMap<>();

    ObjectChains(OpenInode open, Wiring wiring) {
        this.open = open;
        this.wiring = wiring;
    }

    public ObjectChain of(int stripe) {
        return chains.computeIfAbsent(
                stripe,
                s -> new ObjectChain(s, this, wiring.nodes(), wiring.clock(), wiring.fences()));
    }

    /** Completes when what is under way has arrived, or failed. */
    public CompletableFuture<Void> drained() {
        return CompletableFuture.allOf(
                chains.values().stream()
                        .map(ObjectChain::drained)
                        .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletableFuture<Chain> chain(int stripe, boolean claimed) {
        return open.layout()
                .thenCompose(now ->
                        (claimed ? claimed(now) : CompletableFuture.<Void>completedFuture(null))
                                .thenApply(done -> Chain.in(now, stripe, wiring.session().id())));
    }

    /** Completes when the head of the chain knows of what the kernel writes here, if it does. */
    CompletableFuture<Void> claimed(Layout now) {
        LocalWriting kernel = open.content().file();
        return kernel == null ? CompletableFuture.completedFuture(null) : kernel.claimed(now);
    }

    @Override
    public CompletableFuture<Void> mend(
            int stripe, Set<String> failed, boolean full, String reason) {
        return failed.isEmpty()
                ? open.refresh(0)
                : Mending.of(open, wiring, stripe, failed, full, reason);
    }

    @Override
    public void written(int stripe) {
        open.written(stripe);
    }
}
