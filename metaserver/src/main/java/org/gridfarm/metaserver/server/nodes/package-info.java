/**
 * The leader's calls from and about storage nodes: registration, heartbeats and reports of
 * replicas; repair, drain, trim and balance; what a file's replicas are, and their digests. Event
 * thread.
 *
 * <p>Knows nothing of opens and closes: the room of files asks this one.
 */
@NullMarked
package org.gridfarm.metaserver.server.nodes;

import org.jspecify.annotations.NullMarked;
