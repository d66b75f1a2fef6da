package org.gridfarm.test.sim;

import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** What a server is for a while. Every answer goes back by the line that the call came on. */
interface Role {
    long REFUSED = -1;

    /** The value, and whether it may be kept. */
    record Seen(long value, boolean leased) {}

    /**
     * @param answer null: ask again, perhaps elsewhere
     */
    void read(long session, Cell cell, Consumer<Seen> answer);

    /**
     * @param answer the change's order, or {@link #REFUSED}
     */
    void write(long session, long request, Cell cell, LongConsumer answer);

    /**
     * Opens the session or lengthens its lease.
     *
     * @param answer nanoseconds of lease; 0: not served here
     */
    void renew(long session, Line line, SimClient client, LongConsumer answer);

    void recalled(long session, long recall);

    /** A follower asks to be counted; what it gets depends on how far it is. */
    default void follow(Line line, SimCache cache, long from, long epoch) {}

    default void renewCache(Line line, SimCache cache, LongConsumer answer) {
        answer.accept(0);
    }

    default void marked(SimCache cache, long sequence) {}

    default void prepare(Line line, Batch batch) {}

    default void commit(Line line, long sequence) {}

    void tick();

    default void stalled() {}
}
