/**
 * The farm behind the operations of a mounted file system: {@link
 * org.gridfarm.client.mount.FarmOperations} answers the kernel from the client library, {@link
 * org.gridfarm.client.mount.KernelRecalls} takes back from the kernel what the metaserver recalls.
 * A node number is the farm's inode number, so it stays true in a process that takes the mount
 * over. Keeps nothing that a restart would miss but open files.
 */
@NullMarked
package org.gridfarm.client.mount;

import org.jspecify.annotations.NullMarked;
