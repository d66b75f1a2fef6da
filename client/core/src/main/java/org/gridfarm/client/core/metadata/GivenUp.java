package org.gridfarm.client.core.metadata;

import java.util.List;

/** Handles of open files that go to the leader along with the next change. Thread-safe. */
public interface GivenUp {
    /** What waits, perhaps nothing; it does not wait any more. */
    List<Long> take();

    /** Whether the leader heard of them is not known: they wait again. */
    void putBack(List<Long> handles);
}
