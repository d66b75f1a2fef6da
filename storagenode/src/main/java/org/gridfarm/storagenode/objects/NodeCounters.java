package org.gridfarm.storagenode.objects;

import java.util.concurrent.atomic.LongAdder;

/**
 * What the node has done since it started, in bytes and pieces; read by the heartbeat and by the
 * metrics.
 */
public final class NodeCounters {
    public final LongAdder readBytes = new LongAdder();
    public final LongAdder writtenBytes = new LongAdder();
    public final LongAdder forwardedBytes = new LongAdder();
    public final LongAdder copiedBytes = new LongAdder();
    public final LongAdder scrubbedBytes = new LongAdder();
    public final LongAdder badBlocks = new LongAdder();
    public final LongAdder memberFailures = new LongAdder();
    public final LongAdder refusedTickets = new LongAdder();
    public final LongAdder localReads = new LongAdder();
    public final LongAdder localWrites = new LongAdder();
}
