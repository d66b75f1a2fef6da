package org.gridfarm.metaserver.coherence;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Batches at a cache server, from prepare to commit.
 *
 * <pre>
 *   prepared: pending for reads, own clients recalled --all answered--> marked (the leader is told)
 *             --commit from the leader--> applied
 * </pre>
 *
 * <p>A read that meets something pending waits for the last batch prepared when it came, and is
 * then answered from the state of exactly that batch: later ones were not complete when it came, so
 * it may precede them, and it cannot be starved by a stream of changes. Pure; owned by the event
 * thread.
 */
public final class CacheCoherence {
    private final ClientCoherence clients;
    private final TreeMap<Long, List<Touch>> prepared = new TreeMap<>();
    private final LongMap<Long> pending = new LongMap<>();
    private long committed;

    public CacheCoherence(ClientCoherence clients, long committed) {
        this.clients = clients;
        this.committed = committed;
    }

    public long committed() {
        return committed;
    }

    /** The last batch prepared, or committed if none is under way. */
    public long lastPrepared() {
        return prepared.isEmpty() ? committed : prepared.lastKey();
    }

    /** The last prepared batch that touches the key, or 0. */
    public long pending(long key) {
        Long sequence = pending.get(key);
        return sequence == null ? 0 : sequence;
    }

    /** {@link Effect.RecallsDone} with the sequence says that the leader may be told. */
    public void prepare(long sequence, List<Touch> touches, long now, List<Effect> effects) {
        if (sequence != lastPrepared() + 1) {
            throw new IllegalStateException(
                    "batch " + sequence + " was prepared after " + lastPrepared());
        }
        prepared.put(sequence, new ArrayList<>(touches));
        for (Touch touch : touches) {
            if (touch.name() == null) {
                pending.put(Keys.attributes(touch.inode()), sequence);
            } else {
                pending.put(Keys.directory(touch.inode()), sequence);
                if (!touch.name().isEmpty()) {
                    pending.put(Keys.entry(touch.inode(), touch.name()), sequence);
                }
            }
        }
        clients.recall(sequence, touches, now, effects);
    }

    /** The batch is complete; it must be the oldest prepared one. */
    public void commit(long sequence) {
        Map.Entry<Long, List<Touch>> first = prepared.firstEntry();
        if (first == null || first.getKey() != sequence) {
            throw new IllegalStateException("batch " + sequence + " is not the next to commit");
        }
        prepared.remove(sequence);
        committed = sequence;
        for (Touch touch : first.getValue()) {
            if (touch.name() == null) {
                settle(Keys.attributes(touch.inode()));
            } else {
                settle(Keys.directory(touch.inode()));
                if (!touch.name().isEmpty()) settle(Keys.entry(touch.inode(), touch.name()));
            }
        }
    }

    private void settle(long key) {
        Long sequence = pending.get(key);
        if (sequence != null && sequence <= committed) pending.remove(key);
    }
}
