/**
 * The programs that jobs run on this node: each as the user who submitted it, in an environment of
 * its own, with its output kept up to a limit; what it leaves running ends with it. Asked again for
 * a task, the answer is that of the one run. Knows no replicas but those that it is told to show
 * ({@link org.gridfarm.storagenode.tasks.PlainFiles}): tasks see the farm through the node's mount.
 * How and why: {@code docs/decisions/tasks.md}.
 */
@NullMarked
package org.gridfarm.storagenode.tasks;

import org.jspecify.annotations.NullMarked;
