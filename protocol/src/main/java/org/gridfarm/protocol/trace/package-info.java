/**
 * Which trace of W3C's Trace Context a thread works for, so that the lines of one user's call are
 * found in the logs of all servers. Knows nobody; sends and stores nothing itself.
 */
@NullMarked
package org.gridfarm.protocol.trace;

import org.jspecify.annotations.NullMarked;
