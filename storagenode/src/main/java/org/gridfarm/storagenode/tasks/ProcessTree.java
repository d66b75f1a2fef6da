package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.wire.TaskUsage;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * All the processes of one task, whatever became of their sessions, groups and parents: what a task
 * has put in the background ends with it. A process cannot leave.
 */
interface ProcessTree {
    /** A process that is killed may have much memory to give back, or a disk to wait for. */
    Duration END_MAX = Duration.ofSeconds(10);

    /** Words before those that start the task; the process that runs them is the first of it. */
    List<String> enter();

    /** A group that the task's processes are given. */
    OptionalLong mark();

    /** What is added to the environment of the task. */
    Map<String, String> variables();

    /**
     * Kills all of them and returns when none is left, or after {@link #END_MAX}.
     *
     * @param leader the number of the first; 0 if none was started
     * @return whether none is left
     */
    boolean end(long leader) throws IOException;

    /** What its processes use now, and have used as far as the kernel still knows. */
    TaskUsage usage(long leader);

    /** The kernel ended one of them for want of memory; false where it does not tell. */
    default boolean isOutOfMemory() {
        return false;
    }

    /** Makes one for each task. */
    interface Maker {
        ProcessTree make() throws IOException;
    }
}
