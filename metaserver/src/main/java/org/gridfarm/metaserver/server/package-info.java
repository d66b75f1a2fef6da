/**
 * The running metaserver: one event thread that owns the farm's state, the calls that are answered
 * on it, and the two ways of serving: leading and following.
 *
 * <p>Nothing in this room blocks the event thread; the committer, the materialiser and the network
 * talk to it by submitting actions.
 */
@NullMarked
package org.gridfarm.metaserver.server;

import org.jspecify.annotations.NullMarked;
