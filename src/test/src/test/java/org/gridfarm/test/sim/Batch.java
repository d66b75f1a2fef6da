package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.Touch;

import java.util.List;

/** Changes that become durable together. */
record Batch(long sequence, long epoch, List<Change> changes) {
    /**
     * One client's change.
     *
     * @param order grows with every change that any leader decides; the value too
     */
    record Change(Cell cell, long order, long client, long request) {}

    List<Touch> touches() {
        return changes.stream().map(change -> change.cell().touch(change.client())).toList();
    }
}
