package org.gridfarm.metaserver.coherence;

import java.util.List;

/** What the owner of a coherence machine has to carry out. */
public sealed interface Effect {
    /**
     * Tell the session to drop these, and report its answer with the id. Sent again when the
     * session comes back on another connection.
     */
    record SendRecall(long session, long recall, List<Touch> touches, List<DataTouch> data)
            implements Effect {}

    /**
     * The session is over.
     *
     * @param evicted it did not renew its lease, or did not answer a recall within it
     * @param owing evicted while others waited for its answer to a recall
     */
    record SessionEnded(long session, boolean evicted, boolean owing) implements Effect {}

    /** Every recall under this ticket is answered or void. */
    record RecallsDone(long ticket) implements Effect {}

    /** Leader: the batch may be answered, and then be committed at the caches. */
    record Completed(long sequence) implements Effect {}

    /**
     * Leader: the cache server's lease ran out while a prepare waited for it, or it stayed silent.
     */
    record CacheDropped(String cache) implements Effect {}
}
