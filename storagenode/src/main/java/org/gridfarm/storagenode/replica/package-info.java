/**
 * The replicas of this node as plain files: {@code objects/ab/cd/<inode hex>.<stripe>.<generation>}
 * with its {@code .sum} beside it.
 *
 * <p>{@link org.gridfarm.storagenode.replica.ReplicaStore} is the door. Everything done to one
 * object goes through its {@link org.gridfarm.storagenode.replica.Lane} in the order it was asked
 * for, readers side by side, writers alone; {@link org.gridfarm.storagenode.replica.Replica} is the
 * object itself and does plain blocking input and output on the store's threads.
 *
 * <p>After a crash: a {@code .sum} is marked before its data first changes, so an unmarked one
 * vouches for its data, and a marked one is compared with it before it is used again. Nothing is
 * walked at start-up. Knows nothing of chains, tickets or metaservers.
 */
@NullMarked
package org.gridfarm.storagenode.replica;

import org.jspecify.annotations.NullMarked;
