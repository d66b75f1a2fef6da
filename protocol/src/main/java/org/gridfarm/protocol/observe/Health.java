package org.gridfarm.protocol.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * What keeps a process from working. A check returns what is wrong, or nothing; it looks at what is
 * known already and never waits. Thread-safe.
 */
public final class Health {
    /** What a failing check means to whoever watches the process. */
    public enum Meaning {
        /** It cannot serve now, and may be able to later: take it out of rotation. */
        READINESS,
        /** It serves, but not everything or not for long: somebody has to look. */
        ATTENTION,
        /** It will not come back by itself: restart it. */
        LIVENESS
    }

    /** The outcome of one check. */
    public record Finding(String name, Meaning meaning, Optional<String> problem) {}

    private record Check(String name, Meaning meaning, Supplier<Optional<String>> look) {}

    private final List<Check> checks = new CopyOnWriteArrayList<>();

    public void check(String name, Meaning meaning, Supplier<Optional<String>> look) {
        checks.add(new Check(name, meaning, look));
    }

    public List<Finding> look() {
        List<Finding> findings = new ArrayList<>();
        for (Check check : checks)
            findings.add(new Finding(check.name(), check.meaning(), check.look().get()));
        return findings;
    }
}
