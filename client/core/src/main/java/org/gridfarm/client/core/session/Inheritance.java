package org.gridfarm.client.core.session;

/**
 * What a client has from the process that served before it, and what it leaves to the one that will
 * go on for it: its session, its numbers, and which number belongs to which request of its user. A
 * request that the former process had begun and not answered gets its former number, so that the
 * metaserver answers it with its first outcome. Thread-safe.
 */
public interface Inheritance {
    /** Nobody was before and nobody comes after. */
    Inheritance NONE = new Inheritance() {};

    /** The session to go on with; 0: none, a new one is drawn. */
    default long session() {
        return 0;
    }

    /** Of the leader at which that session stood last. */
    default long epoch() {
        return 0;
    }

    /** How many processes went before; grows with each. */
    default long predecessors() {
        return 0;
    }

    /** The session stands, perhaps under a new number, at a leader of this epoch. */
    default void stands(long session, long epoch) {}

    /** Every number that a former process may have used is at most this. */
    default long lastSequence() {
        return 0;
    }

    /**
     * The number of the change about to be asked for.
     *
     * @param fresh one never used, larger than all before
     */
    default long sequence(long fresh) {
        return fresh;
    }

    /**
     * The lowest number whose outcome a next process may still have to ask for, since the request
     * that it belongs to was not answered; the metaserver keeps it from there on.
     */
    default long firstUnanswered() {
        return Long.MAX_VALUE;
    }

    /**
     * The number of the file about to be opened.
     *
     * @param drawn at random
     */
    default long handle(long drawn) {
        return drawn;
    }
}
