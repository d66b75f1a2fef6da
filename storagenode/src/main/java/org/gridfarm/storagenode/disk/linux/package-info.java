/**
 * What the JDK does not offer and Linux does: fallocate, SEEK_DATA and SEEK_HOLE, the blocks a file
 * takes. The only room of this module that calls foreign functions; elsewhere {@link
 * org.gridfarm.storagenode.disk.PortableDisk} stands in.
 */
@NullMarked
package org.gridfarm.storagenode.disk.linux;

import org.jspecify.annotations.NullMarked;
