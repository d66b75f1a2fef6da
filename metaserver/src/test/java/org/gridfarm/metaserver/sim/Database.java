package org.gridfarm.metaserver.sim;

import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.metaserver.memory.MemoryStore;
import org.gridfarm.protocol.wire.ChangeBatch;

import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One database for all servers: the store in memory, seen through connections that lose requests
 * and answers. Times of its own it has none: {@link SimThreads} delays what goes there.
 */
final class Database {
    private static final int LOSES_ONE_IN = 100;

    private final MemoryStore store = new MemoryStore();
    private final World world;
    private final Random random;
    private boolean away;

    Database(World world) {
        this.world = world;
        this.random = new Random(world.random.nextLong());
    }

    /** What is there before the first server starts. */
    void holds(ChangeBatch.Builder content) {
        long epoch = store.claim("setup").epoch();
        ChangeBatch batch = content.setEpoch(epoch).setSequence(1).build();
        store.append(batch);
        world.ledger.committed(batch, "setup");
    }

    /** Nobody reaches it, until it is back. */
    void away(boolean is) {
        away = is;
    }

    private void request() {
        if (away || random.nextInt(2 * LOSES_ONE_IN) == 0) throw new StoreException("lost", null);
    }

    private void answer() {
        if (away || random.nextInt(2 * LOSES_ONE_IN) == 0) {
            throw new StoreException("done, perhaps", null);
        }
    }

    /**
     * @param deceived plants that it is told to lead still, whoever does
     */
    JournalStore connection(Process by, BooleanSupplier deceived) {
        return new Connection(by, deceived);
    }

    private final class Connection implements JournalStore {
        private static final long LATE = 20_000_000;

        private final String leader;

        private final Process process;
        private final BooleanSupplier deceived;
        private long claimed;

        private Connection(Process process, BooleanSupplier deceived) {
            this.leader = process.name + "/" + process.life();
            this.process = process;
            this.deceived = deceived;
        }

        @Override
        public Claim claim(String holder) {
            request();
            Claim claim = store.claim(holder);
            claimed = claim.epoch();
            answer();
            return claim;
        }

        @Override
        public Loaded load(StateSink sink) {
            request();
            Loaded loaded = store.load(sink);
            answer();
            return loaded;
        }

        @Override
        public boolean tail(long afterSequence, Consumer<ChangeBatch> journal) {
            request();
            return store.tail(
                    afterSequence, world.plant == Plant.TAIL_FORGOTTEN ? row -> {} : journal);
        }

        @Override
        public boolean append(ChangeBatch batch) {
            request();
            if (world.plant == Plant.ANSWERED_BEFORE_COMMIT) {
                world.after(LATE, () -> write(batch));
                return true;
            }
            boolean durable = write(batch);
            answer();
            return durable;
        }

        private boolean write(ChangeBatch batch) {
            boolean durable = store.append(batch);
            if (!durable && world.plant == Plant.FENCE_FORGOTTEN) durable = true;
            if (durable) {
                world.ledger.committed(batch, leader);
                world.isBadMoment(process);
            }
            return durable;
        }

        @Override
        public long epochOf(long sequence) {
            request();
            return store.epochOf(sequence);
        }

        @Override
        public boolean fold(Fold fold, long epoch) {
            request();
            boolean ours = store.fold(fold, epoch);
            answer();
            return ours;
        }

        @Override
        public long currentEpoch() {
            request();
            return deceived.getAsBoolean() ? claimed : store.currentEpoch();
        }

        @Override
        public long appliedSequence() {
            request();
            return store.appliedSequence();
        }

        @Override
        public void close() {}
    }
}
