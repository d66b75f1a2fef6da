package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.HashMap;
import java.util.Map;

/**
 * A number of things that users take and give back, so that none takes all: whoever has as many as
 * are left gets no more. One user has half of them at most, two a third each, and there are always
 * some left for another. Thread-safe.
 */
public final class Shares {
    private final int total;

    @GuardedBy("this")
    private final Map<Integer, Integer> taken = new HashMap<>(); // by user; nobody with none

    @GuardedBy("this")
    private int used;

    public Shares(int total) {
        this.total = total;
    }

    /** False: this user has to give some back first, or others have. */
    public synchronized boolean take(int user) {
        if (!hasRoom(user)) {
            return false;
        }
        takeAnyway(user);
        return true;
    }

    /** Whether {@link #take} would succeed. */
    public synchronized boolean hasRoom(int user) {
        return taken.getOrDefault(user, 0) < total - used;
    }

    /** What somebody has already, and cannot be refused. */
    public synchronized void takeAnyway(int user) {
        taken.merge(user, 1, Integer::sum);
        used++;
    }

    public synchronized void giveBack(int user) {
        Integer before = taken.get(user);
        if (before == null) {
            throw new IllegalStateException("user " + user + " gave back more than he took");
        }
        if (before == 1) {
            taken.remove(user);
        } else {
            taken.put(user, before - 1);
        }
        used--;
    }

    public synchronized int used() {
        return used;
    }

    public int total() {
        return total;
    }
}
