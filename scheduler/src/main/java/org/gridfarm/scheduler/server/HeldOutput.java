package org.gridfarm.scheduler.server;

import org.gridfarm.scheduler.job.Task;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** In memory is the output of the latest tasks; that of older ones is in the table alone. */
final class HeldOutput {
    private final Deque<Task> tasks = new ArrayDeque<>();
    private long bytes;

    /** Of tasks that are written down. */
    void hold(List<Task> ended) {
        for (Task task : ended) {
            if (task.outputHeld() > 0) {
                tasks.add(task);
                bytes += task.outputHeld();
            }
        }
        while (bytes > Limits.OUTPUT_BYTES_HELD) {
            Task oldest = tasks.remove();
            bytes -= oldest.outputHeld();
            oldest.dropOutput();
        }
    }
}
