package org.gridfarm.test.faults;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Everything that was acknowledged, by name, and everything that was found wrong. Thread-safe. */
final class Oracle {
    /** It keeps the content of all in memory. */
    private static final int FILES_MAX = 300;

    private final Map<String, Expected> files = new ConcurrentHashMap<>();
    private final Map<String, String> busy = new ConcurrentHashMap<>(); // names not to be changed
    private final List<String> faults = new ArrayList<>();

    boolean hasRoom() {
        return files.size() < FILES_MAX;
    }

    void add(String name, Expected expected) {
        files.put(name, expected);
    }

    void renamed(String from, String to) {
        Expected moved = files.get(from);
        if (moved != null) {
            files.put(to, moved);
            files.remove(from);
        }
    }

    /** No longer to be found under this name for certain. */
    void forget(String name) {
        files.remove(name);
    }

    @Nullable Expected of(String name) {
        return files.get(name);
    }

    List<String> names() {
        return List.copyOf(new TreeMap<>(files).keySet());
    }

    /** A file whose content is known and which nobody else changes until it is given back. */
    Optional<String> take(Random random) {
        List<String> all = names();
        for (int tries = 0; tries < 20 && !all.isEmpty(); tries++) {
            String name = all.get(random.nextInt(all.size()));
            Expected expected = files.get(name);
            if (expected != null && expected.isSure() && busy.putIfAbsent(name, name) == null) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    void keep(String name) {
        busy.put(name, name);
    }

    void giveBack(String name) {
        busy.remove(name);
    }

    void fault(String what) {
        synchronized (faults) {
            faults.add(what);
        }
    }

    List<String> faults() {
        synchronized (faults) {
            return List.copyOf(faults);
        }
    }
}
