package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.coherence.Touch;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.metaserver.server.sessions.Grants;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * From elected to ready to lead: a new epoch, then the state brought to the end of the journal;
 * from what this server held as a cache if the journal still has everything after it, else from the
 * tables. Runs on a thread that may wait; the state belongs to it meanwhile.
 */
final class Promotion {
    private static final Logger log = LoggerFactory.getLogger(Promotion.class);

    /**
     * What leading starts from.
     *
     * @param claimedAt monotonic nanoseconds before the epoch was asked for: from then on somebody
     *     else may have taken the lead
     * @param applied the last batch that the tables have
     * @param doubtful see {@link LeaderCoherence}
     */
    record Start(
            long claimedAt,
            JournalStore.Claim claim,
            long sequence,
            long applied,
            Duration leasesLeft,
            @Nullable List<Touch> doubtful) {}

    private final JournalStore store;
    private final String name;
    private final FarmState state;
    private final Clock clock;
    private @Nullable List<Touch> doubtful = new ArrayList<>();
    private long held;
    private long began;
    private JournalStore.@Nullable Claim claim;

    /**
     * @param held the last batch that the state has, 0 if it is to be loaded
     */
    Promotion(JournalStore store, String name, FarmState state, long held, Clock clock) {
        this.store = store;
        this.name = name;
        this.state = state;
        this.held = held;
        this.clock = clock;
    }

    FarmState state() {
        return state;
    }

    /** A new epoch: from now on no earlier leader makes anything durable. */
    void claim() {
        began = clock.nanoTime();
        claim = store.claim(name);
    }

    /** To the end of the journal, which nobody else lengthens as long as the epoch is ours. */
    Start bringUp() {
        JournalStore.Claim claim = Objects.requireNonNull(this.claim, "claimed before");
        long sequence = held == 0 || !catchUp() ? load() : held;
        log.info(
                "epoch {} is mine; the state stands at batch {} after {} ms",
                claim.epoch(),
                sequence,
                (clock.nanoTime() - began) / 1_000_000);
        return new Start(
                began,
                claim,
                sequence,
                store.appliedSequence(),
                Grants.leasesLeft(state, claim.epoch()),
                doubtful);
    }

    private boolean catchUp() {
        return store.tail(
                held,
                batch -> {
                    for (Change change : batch.getChangesList()) note(change);
                    state.apply(batch);
                    held = batch.getSequence();
                });
    }

    /** This server never heard of its completion. */
    private void note(Change change) {
        List<Touch> known = doubtful;
        if (known != null) Touch.of(change, known::add);
    }

    private long load() {
        state.clear();
        doubtful = null;
        held = 0;
        JournalStore.Loaded loaded =
                store.load(
                        new StateSink() {
                            @Override
                            public void change(Change change) {
                                state.load(change);
                            }

                            @Override
                            public void outcome(Outcome outcome) {
                                state.outcomes().add(outcome, 0);
                            }

                            @Override
                            public void batch(ChangeBatch batch) {
                                state.load(batch);
                            }
                        });
        state.loaded();
        state.inodesBelow(loaded.nextInode());
        held = loaded.sequence();
        return held;
    }
}
