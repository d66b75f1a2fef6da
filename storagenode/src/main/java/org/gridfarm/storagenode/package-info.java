/** The storage node: replicas as plain files on local disks, and the tasks that run beside them. */
@NullMarked
package org.gridfarm.storagenode;

import org.jspecify.annotations.NullMarked;
