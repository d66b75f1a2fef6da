/** Connections to storage nodes, and how long and how much is asked of them. */
@NullMarked
package org.gridfarm.client.core.transfer.node;

import org.jspecify.annotations.NullMarked;
