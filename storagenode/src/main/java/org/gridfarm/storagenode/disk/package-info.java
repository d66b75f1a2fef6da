/**
 * The node's disks: one {@link org.gridfarm.storagenode.disk.DataDirectory} each, with its version
 * file, its lock, its space and its state of health, and {@link
 * org.gridfarm.storagenode.disk.DiskCalls}, the few calls that decide durability and holes. Knows
 * files and bytes, but nothing of objects or checksums.
 */
@NullMarked
package org.gridfarm.storagenode.disk;

import org.jspecify.annotations.NullMarked;
