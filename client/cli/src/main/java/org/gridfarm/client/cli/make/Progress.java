package org.gridfarm.client.cli.make;

import org.gridfarm.protocol.name.FarmPath;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How far the steps are: a step is ready when all that it reads is there. Pure; for one thread. */
final class Progress {
    private final Map<FarmPath, Step> steps;
    private final Map<FarmPath, Integer> lacking = new HashMap<>(); // inputs to be made yet
    private final Map<FarmPath, List<Step>> readers = new HashMap<>();
    private final Deque<Step> ready = new ArrayDeque<>();
    private final Set<FarmPath> left = new HashSet<>();
    private int made;
    private int fresh;
    private int failed;
    private int skipped;

    /**
     * @param targets what is wanted, with all that it needs; empty: everything
     */
    Progress(Map<FarmPath, Step> steps, Collection<FarmPath> targets) {
        this.steps = steps;
        Set<FarmPath> wanted = wanted(targets);
        for (FarmPath output : steps.keySet()) {
            Step step = steps.get(output);
            if (step == null || !wanted.contains(output)) {
                continue;
            }
            left.add(output);
            int missing = 0;
            for (FarmPath input : step.inputs()) {
                if (steps.containsKey(input)) {
                    missing++;
                    readers.computeIfAbsent(input, _ -> new ArrayList<>()).add(step);
                }
            }
            lacking.put(output, missing);
            if (missing == 0) {
                ready.add(step);
            }
        }
    }

    private Set<FarmPath> wanted(Collection<FarmPath> targets) {
        Set<FarmPath> wanted = new LinkedHashSet<>();
        Deque<FarmPath> open = new ArrayDeque<>(targets.isEmpty() ? steps.keySet() : targets);
        while (!open.isEmpty()) {
            FarmPath next = open.remove();
            Step step = steps.get(next);
            if (step != null && wanted.add(next)) {
                open.addAll(step.inputs());
            }
        }
        return wanted;
    }

    /** Steps whose inputs are there, each once. */
    List<Step> takeReady(int most) {
        List<Step> taken = new ArrayList<>();
        while (taken.size() < most && !ready.isEmpty()) {
            taken.add(ready.remove());
        }
        return taken;
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    void fresh(Step step) {
        fresh++;
        isThere(step);
    }

    void made(Step step) {
        made++;
        isThere(step);
    }

    private void isThere(Step step) {
        left.remove(step.output());
        for (Step reader : readers.getOrDefault(step.output(), List.of())) {
            if (lacking.merge(reader.output(), -1, Integer::sum) == 0) {
                ready.add(reader);
            }
        }
    }

    /** What needs its output is not run either. */
    void failed(Step step) {
        failed++;
        left.remove(step.output());
        Deque<Step> open = new ArrayDeque<>(readers.getOrDefault(step.output(), List.of()));
        while (!open.isEmpty()) {
            Step reader = open.remove();
            if (left.remove(reader.output())) {
                skipped++;
                open.addAll(readers.getOrDefault(reader.output(), List.of()));
            }
        }
    }

    /** Nothing more is begun. */
    void giveUp() {
        skipped += ready.size();
        ready.forEach(step -> left.remove(step.output()));
        ready.clear();
    }

    boolean isDone() {
        return left.isEmpty();
    }

    int failed() {
        return failed;
    }

    String summary() {
        return "%d steps made, %d up to date, %d failed, %d not begun"
                .formatted(made, fresh, failed, skipped + left.size());
    }
}
