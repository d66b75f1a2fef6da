package org.gridfarm.scheduler.placement;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The tasks of one job that wait for a place, found by the nodes that hold most of their input.
 * Adding and removing one costs the same however many there are. Owned by one thread.
 */
public final class Backlog<T> {
    /** A node's line: those that would best run there, first come first served. */
    private static final class Line<T> {
        final SequencedMap<T, Candidate<T>> tasks = new LinkedHashMap<>();
        double slots; // a task that two nodes hold asks each for half
    }

    private final SequencedMap<T, Candidate<T>> all = new LinkedHashMap<>();
    private final SequencedMap<T, Candidate<T>> free = new LinkedHashMap<>();
    private final Map<String, Line<T>> lines = new HashMap<>();

    public void add(Candidate<T> candidate) {
        if (all.putIfAbsent(candidate.task(), candidate) != null) {
            throw new IllegalStateException("waits already: " + candidate.task());
        }
        Collection<String> best = candidate.best();
        if (best.isEmpty()) {
            free.put(candidate.task(), candidate);
        }
        for (String node : best) {
            Line<T> line = lines.computeIfAbsent(node, _ -> new Line<>());
            line.tasks.put(candidate.task(), candidate);
            line.slots += (double) candidate.slots() / best.size();
        }
    }

    /** Nothing happens if it does not wait here. */
    public void remove(T task) {
        Candidate<T> candidate = all.remove(task);
        if (candidate == null) {
            return;
        }
        free.remove(task);
        Collection<String> best = candidate.best();
        for (String node : best) {
            Line<T> line = lines.get(node);
            if (line != null && line.tasks.remove(task) != null) {
                line.slots -= (double) candidate.slots() / best.size();
                if (line.tasks.isEmpty()) {
                    lines.remove(node);
                }
            }
        }
    }

    public void clear() {
        all.clear();
        free.clear();
        lines.clear();
    }

    /** As they are now; what is removed or added meanwhile does not matter. */
    public List<Candidate<T>> all() {
        return List.copyOf(all.values());
    }

    public int size() {
        return all.size();
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** That has waited here for longest. */
    public @Nullable Candidate<T> first() {
        return all.isEmpty() ? null : all.firstEntry().getValue();
    }

    public @Nullable Candidate<T> find(T task) {
        return all.get(task);
    }

    /** Those whose input is nowhere in particular. */
    Collection<Candidate<T>> anywhere() {
        return Collections.unmodifiableCollection(free.values());
    }

    /** The nodes before which somebody waits. */
    Collection<String> holders() {
        return Collections.unmodifiableCollection(lines.keySet());
    }

    Collection<Candidate<T>> before(String node) {
        Line<T> line = lines.get(node);
        return line == null
                ? Collections.emptyList()
                : Collections.unmodifiableCollection(line.tasks.values());
    }

    @Nullable Candidate<T> firstBefore(String node) {
        Line<T> line = lines.get(node);
        return line == null ? null : line.tasks.firstEntry().getValue();
    }

    /** Slots that those before a node ask for. */
    double slotsBefore(String node) {
        Line<T> line = lines.get(node);
        return line == null ? 0 : line.slots;
    }
}
