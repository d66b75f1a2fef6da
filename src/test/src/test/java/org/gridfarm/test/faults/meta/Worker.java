package org.gridfarm.test.faults.meta;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.test.linear.Tree.Call;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Creates, renames and deletes in a directory of its own, so that it alone knows what must be
 * there: one client's changes follow one another, and at most one has an unknown outcome, which is
 * settled by looking before the next.
 */
final class Worker {
    private static final int NAMES = 40;

    private final LibraryActor actor;
    private final Random random;
    private final String directory;
    private final Set<String> there = new HashSet<>();
    private final List<String> faults = new ArrayList<>();
    private long acknowledged;

    Worker(ClientConfig config, int number, long seed) {
        directory = "worker" + number;
        actor = new LibraryActor(config, directory);
        actor.furnish(directory, List.of());
        random = new Random(seed);
    }

    Worker work(AtomicBoolean end) {
        while (!end.get() && faults.isEmpty()) {
            step();
        }
        compare();
        actor.close();
        return this;
    }

    private void step() {
        String name = name();
        String other = name();
        switch (random.nextInt(4)) {
            case 0, 1 ->
                    change(new Call.Create("/" + name, true), there.contains(name), null, name);
            case 2 -> change(new Call.Unlink("/" + name), !there.contains(name), name, null);
            default -> {
                if (!name.equals(other)) {
                    change(
                            new Call.Rename("/" + name, "/" + other),
                            !there.contains(name),
                            name,
                            other);
                }
            }
        }
    }

    private String name() {
        return "f" + random.nextInt(NAMES);
    }

    private void change(Call call, boolean refused, @Nullable String gone, @Nullable String come) {
        Set<String> done = new HashSet<>(there);
        done.remove(gone);
        if (come != null) {
            done.add(come);
        }
        String answer = actor.perform(call);
        if (answer == null) {
            Set<String> seen = look();
            if (!seen.equals(there) && !seen.equals(done)) {
                faults.add(call + " is half done: " + difference(seen));
            }
            adopt(seen);
        } else if (answer.equals("ok") == refused) {
            faults.add(call + " answered " + answer + " where " + new TreeSet<>(there) + " are");
        } else if (!refused) {
            acknowledged++;
            adopt(done);
        }
    }

    private void adopt(Set<String> now) {
        there.clear();
        there.addAll(now);
    }

    /** Asks until somebody answers. */
    private Set<String> look() {
        while (true) {
            String answer = actor.perform(new Call.List("/"));
            if (answer != null) {
                return answer.isEmpty() ? Set.of() : Set.of(answer.split(","));
            }
        }
    }

    private void compare() {
        Set<String> seen = look();
        if (!seen.equals(there)) {
            faults.add("in the end " + difference(seen));
        }
    }

    private String difference(Set<String> seen) {
        Set<String> lost = new TreeSet<>(there);
        lost.removeAll(seen);
        Set<String> extra = new TreeSet<>(seen);
        extra.removeAll(there);
        return directory + " lacks " + lost + " and has " + extra;
    }

    long acknowledged() {
        return acknowledged;
    }

    List<String> faults() {
        return faults;
    }
}
