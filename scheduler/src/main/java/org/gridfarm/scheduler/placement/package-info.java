/**
 * Which task runs where: a pure function from free slots and located inputs to a plan. The weight
 * of a node for a task is the bytes of its input held there. A node with a free slot first takes a
 * task whose input lies on it; it takes another's only when waiting for the holders would cost more
 * than reading over the network, so that short tasks never pile up on one node. Starts nothing
 * itself.
 */
@NullMarked
package org.gridfarm.scheduler.placement;

import org.jspecify.annotations.NullMarked;
