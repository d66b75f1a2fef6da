package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.scheduler.job.Job;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The jobs in memory: all that have not ended, the newest of those that have, and a few older ones
 * that somebody has asked for and that were read from the table again. Event thread.
 */
final class KnownJobs {
    private final Map<Long, Job> byId = new TreeMap<>();
    private final Deque<Long> recalled = new ArrayDeque<>();

    Optional<Job> find(long id) {
        return Optional.ofNullable(byId.get(id));
    }

    Job require(long id) {
        return find(id).orElseThrow(() ->
                new FarmException(
                        ErrorKind.NOT_FOUND, "job", Long.toString(id), "see gf jobs --all"));
    }

    /** By number. */
    Collection<Job> all() {
        return Collections.unmodifiableCollection(byId.values());
    }

    void add(Job job) {
        byId.put(job.id(), job);
    }

    /** One that has ended, as the table has it. */
    void recall(Job job) {
        if (job.isDone() && byId.putIfAbsent(job.id(), job) == null) {
            job.durable();
            recalled.addLast(job.id());
            if (recalled.size() > Limits.OLD_JOBS_RECALLED) {
                byId.remove(recalled.removeFirst());
            }
        }
    }

    /** The table has them still. */
    void forgetOld() {
        List<Long> done =
                byId.values().stream()
                        .filter(Job::isDone)
                        .map(Job::id)
                        .filter(id -> !recalled.contains(id))
                        .toList();
        done.subList(0, Math.max(0, done.size() - Limits.DONE_JOBS_KEPT)).forEach(byId::remove);
    }
}
