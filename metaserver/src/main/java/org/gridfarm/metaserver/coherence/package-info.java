/**
 * Who may believe what for how long. Pure: every input is an event with its time, every output an
 * effect that the caller carries out; so a simulator can drive it in virtual time.
 *
 * <p>{@link org.gridfarm.metaserver.coherence.ClientCoherence} knows the sessions of one server,
 * what each holds in its cache and which recalls are under way. {@link
 * org.gridfarm.metaserver.coherence.LeaderCoherence} adds the batches between execution and
 * completion, {@link org.gridfarm.metaserver.coherence.CacheCoherence} the batches between prepare
 * and commit.
 *
 * <p>The rule that all of it serves: a change is answered, and readable anywhere, only when it is
 * durable, every cache server has marked it, and every client that held what it touches has dropped
 * it or has lost its lease.
 */
@NullMarked
package org.gridfarm.metaserver.coherence;

import org.jspecify.annotations.NullMarked;
