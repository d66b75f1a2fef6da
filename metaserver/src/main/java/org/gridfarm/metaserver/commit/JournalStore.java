package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.ChangeBatch;

import java.util.function.Consumer;

/**
 * Where the truth is kept: a journal of batches and the tables it is folded into. Bodies: {@code
 * PostgresStore} and, for tests and simulation, {@code MemoryStore}; both pass one contract test.
 *
 * <p>Thread-safe, but {@link #append} is called by one thread at a time, and {@link #fold} by one
 * thread at a time. Every method may block. A store that cannot be reached is a {@link
 * StoreException}; whether an append that failed so took effect is unknown until {@link #epochOf}
 * was asked.
 */
public interface JournalStore extends AutoCloseable {
    /**
     * Starts a new epoch: from the return on, whatever an earlier leader tries to append or fold is
     * refused.
     */
    Claim claim(String holder);

    /**
     * Hands over the tables (inodes before entries, each key once) and then every journal row after
     * them, in order: together the state that was acknowledged.
     */
    Loaded load(StateSink sink);

    /**
     * The journal rows after the sequence, in order. False, and nothing handed over, if rows after
     * it were folded away already: then only {@link #load} helps.
     */
    boolean tail(long afterSequence, Consumer<ChangeBatch> journal);

    /**
     * Makes the batch durable.
     *
     * @return false if the epoch of the batch is over: this leader must stop
     */
    boolean append(ChangeBatch batch);

    /** The epoch under which the sequence was written, or -1 if it is not in the journal. */
    long epochOf(long sequence);

    /**
     * Applies the images to the tables and forgets the journal rows they stand for, all or nothing.
     *
     * @return false if the epoch is over
     */
    boolean fold(Fold fold, long epoch);

    /** The epoch of the present leader. */
    long currentEpoch();

    /** The last sequence in the tables. */
    long appliedSequence();

    @Override
    void close();

    /** A new epoch and the number that tells this farm from every other. */
    record Claim(long epoch, long instance) {}

    /** How far the loaded state goes; inode numbers below {@code nextInode} were used before. */
    record Loaded(long sequence, long nextInode) {}
}
