/**
 * File contents: open files, and the reading and writing of their objects on the storage nodes.
 *
 * <p>Writes go to the head of a chain and are done when every member has them; reads come from the
 * nearest good replica, checked. A node that fails or hangs is stepped over: another replica is
 * read, the chain goes on without it. Owns the connections to storage nodes. Knows no paths.
 */
@NullMarked
package org.gridfarm.client.core.transfer;

import org.jspecify.annotations.NullMarked;
