package org.gridfarm.client.core.transfer.file;

import java.util.concurrent.CompletableFuture;

/** Where handles come from, and what they tell when they end. Thread-safe. */
public interface HandleOwner {
    /**
     * A program closes it, and it will rest unless somebody else has the same descriptor: nothing
     * is told yet.
     */
    boolean mayRestSoon(FarmFileHandle handle);

    /** A program closes it; whoever wants the file waits for the release, or for a commit. */
    void leaves(FarmFileHandle handle);

    /** The same where only who changes the file has to wait. */
    void leavesToCommit(FarmFileHandle handle);

    /** Not too many closes are under way that no program waits for. */
    boolean mayLeaveCommit();

    /**
     * A program closes what it has just made: the file goes to its node and to the metaserver while
     * the program goes on.
     */
    boolean mayCloseLater(FarmFileHandle handle);

    /**
     * Its last user has gone. Completes at once where it rests or is closed while nobody waits,
     * else when it is closed for good.
     */
    CompletableFuture<Void> ended(FarmFileHandle handle);

    /** Completes when what programs closed of its file is closed for good. */
    CompletableFuture<Void> closesOver(long inode);

    /** Nothing was changed through it. True: it is kept for whoever opens the file again. */
    boolean release(FarmFileHandle handle);

    /**
     * Completes when the leader knows of the handle, which this client may have opened by itself.
     */
    CompletableFuture<Void> told(FarmFileHandle handle);

    /** Completes when the leader knows, or a moment later. */
    CompletableFuture<Void> releaseUnsettled(FarmFileHandle handle);

    /** Its file has one less. */
    void closed(FarmFileHandle handle);
}
