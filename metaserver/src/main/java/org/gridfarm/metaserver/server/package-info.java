/**
 * The running metaserver: how it comes to lead or to follow, and what it does then. The calls that
 * it answers, and the state that they are answered from, have rooms of their own below:
 *
 * <pre>
 * server ──> admin ──> files ──> nodes ──> state
 *        └─> sessions ─────────────────────┘
 * </pre>
 *
 * <p>A room knows those to the right of it and no other. {@link Leading} puts all of them together;
 * {@link Reads} answers lookups, on the leader and on caches.
 *
 * <p>Nothing in these rooms blocks the event thread; the committer, the materialiser and the
 * network talk to it by submitting actions.
 */
@NullMarked
package org.gridfarm.metaserver.server;

import org.jspecify.annotations.NullMarked;
