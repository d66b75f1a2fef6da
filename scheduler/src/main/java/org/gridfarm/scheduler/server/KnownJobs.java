package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.scheduler.job.Job;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The jobs in memory: all that have not ended, the newest of those that have, and a few older ones
 * that somebody has asked for and that were read from the table again. Event thread.
 */
final class KnownJobs {
    private final JobRoom room;
    private final Map<Long, Job> byId = new TreeMap<>();

    /** Bytes of those that are about to be written down, by user. */
    private final Map<String, Long> coming = new HashMap<>();

    KnownJobs(JobRoom room) {
        this.room = room;
    }

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

    /**
     * Room for a job that is about to be written down, until {@link #came}.
     *
     * @throws FarmException OVERLOADED where those that have not ended leave none
     */
    void reserve(String user, long bytes) {
        long own = coming.getOrDefault(user, 0L);
        long all = coming.values().stream().mapToLong(Long::longValue).sum();
        for (Job job : byId.values()) {
            if (job.isDone()) continue;
            all += job.bytes();
            if (job.user().equals(user)) own += job.bytes();
        }
        room.require(own, all, bytes);
        coming.merge(user, bytes, Long::sum);
    }

    /** It is among the jobs now, or will not be. */
    void came(String user, long bytes) {
        coming.computeIfPresent(user, (name, before) -> before <= bytes ? null : before - bytes);
    }

    void add(Job job) {
        byId.put(job.id(), job);
    }

    /** One that has ended, as the table has it. */
    void recall(Job job) {
        if (job.isDone() && byId.putIfAbsent(job.id(), job) == null) {
            job.durable();
            recalled.addLast(job.id());
            while (recalled.size() > 1
                    && (recalled.size() > Limits.OLD_JOBS_RECALLED
                            || bytes(recalled) > room.recalled())) {
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
        int from = Math.max(0, done.size() - Limits.DONE_JOBS_KEPT);
        done.subList(0, from).forEach(byId::remove);
        long bytes = bytes(done.subList(from, done.size()));
        for (; bytes > room.done() && from < done.size() - 1; from++) {
            bytes -= require(done.get(from)).bytes();
            byId.remove(done.get(from));
        }
    }

    private long bytes(Collection<Long> ids) {
        return ids.stream().mapToLong(id -> find(id).map(Job::bytes).orElse(0L)).sum();
    }
}
