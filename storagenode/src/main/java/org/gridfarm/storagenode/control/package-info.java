/**
 * The node's word with the metaserver: it registers, says what it holds, reports every half second,
 * and does what it is told over the same connection. {@link
 * org.gridfarm.storagenode.control.FarmLink} holds the lease that everything else in the node asks
 * for; {@link org.gridfarm.storagenode.control.Commands} are the orders; {@link
 * org.gridfarm.storagenode.control.TicketDoor} lets callers in.
 */
@NullMarked
package org.gridfarm.storagenode.control;

import org.jspecify.annotations.NullMarked;
