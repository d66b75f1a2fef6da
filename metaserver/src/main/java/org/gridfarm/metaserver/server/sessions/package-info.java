/**
 * Client sessions: leases, what is pushed to clients and what they answer, and byte-range locks.
 * Event thread.
 */
@NullMarked
package org.gridfarm.metaserver.server.sessions;

import org.jspecify.annotations.NullMarked;
