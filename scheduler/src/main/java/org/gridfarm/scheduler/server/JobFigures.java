package org.gridfarm.scheduler.server;

import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.placement.NodeSlots;

import java.util.Collection;
import java.util.List;

/**
 * How much there is to do, and with what.
 *
 * @param jobs that have not ended
 * @param waiting tasks
 * @param running tasks
 * @param slots of nodes that may run tasks now
 * @param free slots of these
 */
record JobFigures(int jobs, int waiting, int running, int slots, int free) {
    static final JobFigures NONE = new JobFigures(0, 0, 0, 0, 0);

    static JobFigures of(Collection<Job> all, Slots slots) {
        int jobs = 0;
        int waiting = 0;
        int running = 0;
        for (Job job : all) {
            if (!job.isDone()) {
                jobs++;
                running += job.runningCount();
                waiting += job.tasks().size() - job.finished().size() - job.runningCount();
            }
        }
        List<NodeSlots> usable = slots.usable();
        return new JobFigures(
                jobs,
                waiting,
                running,
                usable.stream().mapToInt(NodeSlots::slots).sum(),
                usable.stream().mapToInt(NodeSlots::free).sum());
    }
}
