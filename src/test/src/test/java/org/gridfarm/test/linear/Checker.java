package org.gridfarm.test.linear;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches an order. Depth first over "which operation took effect next", never twice from the same
 * set of operations and state.
 */
public final class Checker<S, C, O> {
    private static final int ORDER_SHOWN_MAX = 40;
    private static final int FOLLOWERS_SHOWN_MAX = 8;

    private final Model<S, C, O> model;

    public Checker(Model<S, C, O> model) {
        this.model = model;
    }

    /**
     * The verdict; for a person, the longest order found and the operations that could not follow
     * it.
     */
    public record Verdict(boolean linearizable, String explanation) {}

    private record Visited<S>(BitSet done, S state) {}

    private record Frame<S>(S state, int chosen, int next) {}

    public Verdict check(List<Operation<C, O>> history) {
        List<Operation<C, O>> operations = new ArrayList<>(history);
        operations.sort(Comparator.comparingLong(Operation::called));
        int known = (int) operations.stream().filter(Operation::isKnown).count();
        BitSet done = new BitSet(operations.size());
        Set<Visited<S>> visited = new HashSet<>();
        Deque<Frame<S>> stack = new ArrayDeque<>();
        S state = model.initial();
        int knownDone = 0;
        int from = 0;
        int best = -1;
        String explanation = "";
        while (true) {
            if (knownDone == known) {
                return new Verdict(true, "");
            }
            if (knownDone > best) {
                best = knownDone;
                explanation = explain(operations, stack, done, state);
            }
            int candidate = nextCandidate(operations, done, from);
            if (candidate < 0) {
                if (stack.isEmpty()) {
                    return new Verdict(false, explanation);
                }
                Frame<S> frame = stack.pop();
                done.clear(frame.chosen());
                if (operations.get(frame.chosen()).isKnown()) {
                    knownDone--;
                }
                state = frame.state();
                from = frame.next();
                continue;
            }
            Operation<C, O> operation = operations.get(candidate);
            Model.Step<S, O> step = model.step(state, operation.call());
            boolean fits =
                    !operation.isKnown() || model.agrees(operation.outcome(), step.outcome());
            if (fits) {
                done.set(candidate);
                if (visited.add(new Visited<>((BitSet) done.clone(), step.state()))) {
                    stack.push(new Frame<>(state, candidate, candidate + 1));
                    state = step.state();
                    knownDone += operation.isKnown() ? 1 : 0;
                    from = 0;
                    continue;
                }
                done.clear(candidate);
            }
            from = candidate + 1;
        }
    }

    /** The next operation not yet done that was called before every undone one returned, or -1. */
    private int nextCandidate(List<Operation<C, O>> operations, BitSet done, int from) {
        long earliestReturn = Long.MAX_VALUE;
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            Operation<C, O> operation = operations.get(i);
            if (operation.called() > earliestReturn) {
                break; // sorted by call: all later ones too
            }
            if (operation.isKnown()) {
                earliestReturn = Math.min(earliestReturn, operation.returned());
            }
        }
        for (int i = done.nextClearBit(from); i < operations.size(); i = done.nextClearBit(i + 1)) {
            if (operations.get(i).called() > earliestReturn) {
                return -1;
            }
            return i;
        }
        return -1;
    }

    private String explain(
            List<Operation<C, O>> operations, Deque<Frame<S>> stack, BitSet done, S state) {
        StringBuilder text = new StringBuilder("the end of the longest order found:\n");
        List<Frame<S>> frames = new ArrayList<>(stack);
        for (int i = Math.min(frames.size(), ORDER_SHOWN_MAX) - 1; i >= 0; i--) {
            text.append("  ").append(operations.get(frames.get(i).chosen())).append('\n');
        }
        text.append("state then: ").append(state).append("\nnone of these can follow:\n");
        int shown = 0;
        for (int i = done.nextClearBit(0);
                i < operations.size() && shown < FOLLOWERS_SHOWN_MAX;
                i = done.nextClearBit(i + 1)) {
            text.append("  ")
                    .append(operations.get(i))
                    .append("; the model says ")
                    .append(model.step(state, operations.get(i).call()).outcome())
                    .append('\n');
            shown++;
        }
        return text.toString();
    }
}
