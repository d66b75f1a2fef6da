package org.gridfarm.client.core.session;

import java.util.concurrent.CompletionStage;

/**
 * Holds something under a session that must be put right when the session changes. Called on
 * network threads; must not block.
 */
public interface SessionKeeper {
    /**
     * Nothing cached may be believed any more: the lease may have run out, or another server grants
     * from now on. Returns when the caches are empty.
     */
    default void dropCaches() {}

    /**
     * The session begins anew at a leader. Ordinary calls wait until the stage completes; {@code
     * calls} goes to the new leader at once.
     *
     * @param lost the state held before is gone (eviction); otherwise it is to be re-established
     *     (fail-over)
     */
    CompletionStage<Void> reopened(LeaderCalls calls, boolean lost);
}
