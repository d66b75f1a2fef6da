/**
 * The programs that jobs run on this node: each in a process group of its own, as the user who
 * submitted it, with its output kept up to a limit. Asked again for a task, the answer is that of
 * the one run. Knows nothing of replicas: tasks see the farm through the node's mount.
 */
@NullMarked
package org.gridfarm.storagenode.tasks;

import org.jspecify.annotations.NullMarked;
