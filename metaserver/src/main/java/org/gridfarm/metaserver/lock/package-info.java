/**
 * fcntl(2) byte-range locks and flock(2) locks of all clients, as a state machine: a request is
 * granted, refused or queued, and every step returns the queued requests that it let through. Owned
 * by the event thread; nothing here is journaled, since clients claim their locks again after a
 * fail-over. Does no IO, keeps no time.
 */
@NullMarked
package org.gridfarm.metaserver.lock;

import org.jspecify.annotations.NullMarked;
