package org.gridfarm.test.faults.meta;

import org.gridfarm.test.linear.Tree;
import org.jspecify.annotations.Nullable;

/**
 * One client of the farm, used by one thread. Answers are words as in {@link Tree}: "ok", what was
 * seen, or an errno's name; null when nobody can know whether it was done.
 */
interface Actor extends AutoCloseable {
    /** The call came to nothing before it said anything about the farm: no part of the history. */
    String NOTHING_SAID = "nothing said";

    /** What follows is about this history's directory, which is there. */
    void enter(String directory);

    @Nullable String perform(Tree.Call call);

    /** Whether stat and rename look at everything at one instant. */
    boolean isOneInstant();

    @Nullable String takeLock();

    @Nullable String releaseLock();

    /** Lets go of what it holds in the history's directory. */
    void leave();

    @Override
    void close();
}
