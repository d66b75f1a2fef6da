package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.protocol.error.ErrorKind;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A member of a chain, and what of its object it has. */
final class SimNode {
    /** What is asked of it. */
    enum How {
        WRITE,
        APPEND
    }

    private enum Health {
        WELL,
        HUNG,
        DOWN
    }

    final String name;
    int life = 1;
    private Health health = Health.WELL;
    private boolean full;
    private long fence;
    private final Map<Long, Integer> times = new HashMap<>(); // that each command was done
    private final Set<Long> known = new HashSet<>(); // appends of this life
    private final Map<String, Long> last = new HashMap<>(); // of each fence and sender
    private final Set<String> faults;

    SimNode(String name, Set<String> faults) {
        this.name = name;
        this.faults = faults;
    }

    boolean isDown() {
        return health == Health.DOWN;
    }

    boolean isHung() {
        return health == Health.HUNG;
    }

    boolean has(long number) {
        return times.containsKey(number);
    }

    void hang() {
        if (health == Health.WELL) {
            health = Health.HUNG;
        }
    }

    void die() {
        if (health != Health.DOWN) {
            health = Health.DOWN;
            life++;
            known.clear();
            fence = 0; // what it knew of writers
        }
    }

    void fill() {
        full = true;
    }

    void heal() {
        health = Health.WELL;
        full = false;
    }

    void fillFrom(SimNode other) {
        times.putAll(other.times);
    }

    /** Null: done. */
    @Nullable ErrorKind take(long number, long newFence, How how, String from) {
        if (newFence < fence) {
            return ErrorKind.WRONG_GENERATION;
        }
        fence = newFence;
        if (full && !has(number)) {
            return ErrorKind.NO_SPACE;
        }
        Long before = last.put(newFence + " " + from, number);
        if (before != null && before >= number) {
            faults.add("out of order");
        }
        if (how == How.APPEND && !known.contains(number)) {
            if (times.merge(number, 1, Integer::sum) > 1) {
                faults.add("appended twice");
            }
        } else {
            times.putIfAbsent(number, 1);
        }
        known.add(number);
        return null;
    }

    @Override
    public String toString() {
        return name + " " + health + (full ? " full" : "");
    }
}
