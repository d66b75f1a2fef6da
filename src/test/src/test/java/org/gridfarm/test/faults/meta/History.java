package org.gridfarm.test.faults.meta;

import org.gridfarm.test.linear.Checker;
import org.gridfarm.test.linear.Lock;
import org.gridfarm.test.linear.Operation;
import org.gridfarm.test.linear.Tree;

import java.util.ArrayList;
import java.util.List;

/** What the clients of one directory did and saw. */
record History(
        String name,
        long seed,
        List<Operation<Tree.Call, String>> calls,
        List<Operation<Lock.Call, String>> locks) {
    int size() {
        return calls.size() + locks.size();
    }

    long unknown() {
        return calls.stream().filter(call -> call.outcome() == null).count()
                + locks.stream().filter(call -> call.outcome() == null).count();
    }

    /** Empty: there is an order that explains everything. */
    String fault() {
        Checker.Verdict names = new Checker<>(Tree.from(Scene.beginning())).check(calls);
        if (!names.linearizable()) {
            return describe(names, calls);
        }
        Checker.Verdict held = new Checker<>(Lock.MODEL).check(locks);
        return held.linearizable() ? "" : describe(held, locks);
    }

    private <C> String describe(Checker.Verdict verdict, List<Operation<C, String>> operations) {
        List<Operation<C, String>> ordered = new ArrayList<>(operations);
        ordered.sort(java.util.Comparator.comparingLong(Operation::called));
        StringBuilder text = new StringBuilder("history %s (seed %d):\n".formatted(name, seed));
        ordered.forEach(operation -> text.append("  ").append(operation).append('\n'));
        // Some reports show the end only.
        return text.append(verdict.explanation()).toString();
    }
}
