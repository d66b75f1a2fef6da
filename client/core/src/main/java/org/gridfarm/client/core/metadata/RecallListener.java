package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Keeps copies beyond this library (kernel caches, open files) and gives them up when they are
 * recalled.
 */
@FunctionalInterface
public interface RecallListener {
    /**
     * Everything named must leave. The metaserver is answered when all listeners' stages have
     * completed, and somebody else's change waits for it: complete soon, and never by way of a
     * request that itself waits at the metaserver. {@code all} is also said when the lease was lost
     * or the session began anew; then nobody waits, but nothing cached before may be used. A stage
     * that fails counts as completed and is logged.
     *
     * <p>Called on network threads; must not block.
     *
     * @param changed the names that somebody changes; {@code recall} has besides all others of the
     *     same directories, which are only no longer leased
     */
    CompletionStage<Void> recalled(RecallRequest recall, List<RecalledDirectory> changed);
}
