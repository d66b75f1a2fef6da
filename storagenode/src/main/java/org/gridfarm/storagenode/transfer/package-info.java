/**
 * Bytes of whole objects between nodes: a replica pulled from another node ({@link
 * org.gridfarm.storagenode.transfer.Replication}) and a range copied into a file's chain without
 * passing through the client ({@link org.gridfarm.storagenode.transfer.RangeCopy}). What is read
 * was compared with its checksums where it lies, and is compared again where it arrives.
 */
@NullMarked
package org.gridfarm.storagenode.transfer;

import org.jspecify.annotations.NullMarked;
