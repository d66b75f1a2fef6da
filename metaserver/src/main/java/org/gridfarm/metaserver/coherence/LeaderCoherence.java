package org.gridfarm.metaserver.coherence;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Batches at the leader, from the execution of their first change to their completion.
 *
 * <pre>
 *   open --close--> under way --durable, all caches marked, all recalls answered--> complete
 * </pre>
 *
 * <p>Batches complete in order. What an incomplete batch touched is pending: reads of it are
 * answered only when that batch is complete, and nobody is granted it. A cache server that does not
 * mark a batch is waited for until its lease runs out, no longer. Pure; owned by the event thread.
 */
public final class LeaderCoherence {
    private static final class Batch {
        final List<Touch> touches = new ArrayList<>();
        final Set<String> unmarked = new HashSet<>();
        boolean closed;
        boolean durable;
        boolean recalled;
    }

    private final ClientCoherence clients;
    private final TreeMap<Long, Batch> batches = new TreeMap<>();
    private final LongMap<Long> pending = new LongMap<>();
    private final Map<String, Long> caches = new HashMap<>();
    private final boolean allDoubtful;
    private Batch open = new Batch();
    private long openSequence;
    private final long holdUntil;
    private boolean held = true;
    private long completed;

    /**
     * @param durable the last sequence of earlier leaders
     * @param holdUntil when the last lease that an earlier leader gave has run out: until then
     *     somebody may believe what changes now, so nothing completes
     * @param doubtful what earlier leaders made durable and perhaps never completed: until then
     *     somebody may believe what was before, so it is pending; null: nobody knows what, so
     *     everything is
     */
    public LeaderCoherence(
            ClientCoherence clients, long durable, long holdUntil, @Nullable List<Touch> doubtful) {
        this.clients = clients;
        this.holdUntil = holdUntil;
        this.allDoubtful = doubtful == null;
        this.completed = durable;
        this.openSequence = durable;
        if (doubtful == null || !doubtful.isEmpty()) {
            open.closed = true;
            open.durable = true;
            open.recalled = true;
            batches.put(openSequence, open);
            completed--;
            if (doubtful != null) doubtful.forEach(this::executed);
            open = new Batch();
        }
        batches.put(++openSequence, open);
    }

    /** The sequence that the batch being filled will have. */
    public long openSequence() {
        return openSequence;
    }

    public long completed() {
        return completed;
    }

    /** The last batch that touched the key and is not complete, or 0. */
    public long pending(long key) {
        Long sequence = pending.get(key);
        return sequence != null ? sequence : allDoubtful && held ? completed + 1 : 0;
    }

    /** A change was executed: from now on what it touches is pending. */
    public void executed(Touch touch) {
        open.touches.add(touch);
        if (touch.name() == null) {
            pending.put(Keys.attributes(touch.inode()), openSequence);
        } else {
            pending.put(Keys.directory(touch.inode()), openSequence);
            if (!touch.name().isEmpty()) {
                pending.put(Keys.entry(touch.inode(), touch.name()), openSequence);
            }
        }
    }

    /**
     * The open batch goes to the store and to the caches, which have to mark it; a new one is open.
     *
     * @return the caches to send it to
     */
    public Set<String> close(long now, List<Effect> effects) {
        Batch batch = open;
        long sequence = openSequence;
        batch.closed = true;
        batch.unmarked.addAll(caches.keySet());
        open = new Batch();
        batches.put(++openSequence, open);
        Set<String> members = Set.copyOf(batch.unmarked);
        List<Effect> recalls = new ArrayList<>();
        clients.recall(sequence, batch.touches, now, recalls);
        absorb(recalls, effects);
        return members;
    }

    public void durable(long sequence, List<Effect> effects) {
        batch(sequence).durable = true;
        complete(effects);
    }

    /** The cache server has marked the batch as pending and its clients have dropped it. */
    public void marked(String cache, long sequence, List<Effect> effects) {
        Batch batch = batches.get(sequence);
        if (batch != null && batch.unmarked.remove(cache)) complete(effects);
    }

    /** Effects of the clients' machine pass through here: a batch may wait for them. */
    public void absorb(List<Effect> fromClients, List<Effect> effects) {
        for (Effect effect : fromClients) {
            if (effect instanceof Effect.RecallsDone done && done.ticket() > 0) {
                Batch batch = batches.get(done.ticket());
                if (batch != null) batch.recalled = true;
            } else {
                effects.add(effect);
            }
        }
        complete(effects);
    }

    private void complete(List<Effect> effects) {
        if (held) return;
        while (true) {
            Map.Entry<Long, Batch> first = batches.firstEntry();
            Batch batch = first.getValue();
            if (!batch.closed || !batch.durable || !batch.recalled || !batch.unmarked.isEmpty()) {
                return;
            }
            batches.remove(first.getKey());
            completed = first.getKey();
            for (Touch touch : batch.touches) {
                if (touch.name() == null) {
                    settle(Keys.attributes(touch.inode()));
                } else {
                    settle(Keys.directory(touch.inode()));
                    if (!touch.name().isEmpty()) settle(Keys.entry(touch.inode(), touch.name()));
                }
            }
            effects.add(new Effect.Completed(completed));
        }
    }

    private void settle(long key) {
        Long sequence = pending.get(key);
        if (sequence != null && sequence <= completed) pending.remove(key);
    }

    private Batch batch(long sequence) {
        Batch batch = batches.get(sequence);
        if (batch == null)
            throw new IllegalStateException("batch " + sequence + " is not under way");
        return batch;
    }

    // ---- cache servers ----------------------------------------------------------------------

    /** Batches closed from now on wait for this cache. */
    public void admit(String cache, long expires) {
        caches.put(cache, expires);
    }

    /** False: the cache is not in the set (any more) and must start over. */
    public boolean renew(String cache, long expires) {
        return caches.computeIfPresent(cache, (name, old) -> Math.max(old, expires)) != null;
    }

    public Set<String> caches() {
        return Set.copyOf(caches.keySet());
    }

    /** The cache promises to serve nothing any more, or has lost its lease. */
    public void drop(String cache, List<Effect> effects) {
        if (caches.remove(cache) == null) return;
        for (Batch batch : batches.values()) batch.unmarked.remove(cache);
        effects.add(new Effect.CacheDropped(cache));
        complete(effects);
    }

    public void expire(long now, List<Effect> effects) {
        if (held && now - holdUntil >= 0) {
            held = false;
            complete(effects);
        }
        for (Map.Entry<String, Long> cache : List.copyOf(caches.entrySet())) {
            if (now - cache.getValue() >= 0) drop(cache.getKey(), effects);
        }
        List<Effect> ended = new ArrayList<>();
        clients.expire(now, ended);
        absorb(ended, effects);
    }

    /** Why the oldest batch under way is not complete, for people; null if none is. */
    public @Nullable String waitingFor() {
        Batch batch = batches.firstEntry().getValue();
        if (!batch.closed) return null;
        if (held) return "leases of the former leader";
        if (!batch.durable) return "the database";
        return batch.unmarked.isEmpty() ? "clients" : "caches " + batch.unmarked;
    }
}
