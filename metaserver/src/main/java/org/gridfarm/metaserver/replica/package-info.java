/**
 * Where content lies and where it should: replica rows with an index of what is wrong ({@link
 * org.gridfarm.metaserver.replica.ReplicaMap}), the storage nodes ({@link
 * org.gridfarm.metaserver.replica.NodeTable}), the choice of nodes as data that can be explained
 * ({@link org.gridfarm.metaserver.replica.Placement}), and one planner for repair, drain, trim and
 * balance ({@link org.gridfarm.metaserver.replica.RepairPlanner}).
 *
 * <p>Owned by the event thread. Does no IO and reads no clock; what is planned is carried out, and
 * journaled, elsewhere. Everything the planner needs to go on after a restart follows from the
 * rows.
 */
@NullMarked
package org.gridfarm.metaserver.replica;

import org.jspecify.annotations.NullMarked;
