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
    /** What tells a job from others before it has its own number. */
    private record Submitted(String user, long number) {
        static Submitted of(Job job) {
            return new Submitted(job.user(), job.request().getSubmission());
        }
    }

    /**
     * @param senders calls that bring the same job
     */
    private record Coming(int senders, long bytes) {
        static final Coming NONE = new Coming(0, 0);
    }

    private final JobRoom room;
    private final Map<Long, Job> byId = new TreeMap<>();

    /** Those that are about to be written down. */
    private final Map<Submitted, Coming> coming = new HashMap<>();

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
     * Room for a job that is about to be written down, until {@link #came} was called as often. A
     * submission that is sent again, because its answer was lost, takes none a second time.
     *
     * @param submission the number that its sender has given it
     * @throws FarmException OVERLOADED where those that have not ended leave none
     */
    void reserve(String user, long submission, long bytes) {
        Submitted submitted = new Submitted(user, submission);
        long own = 0;
        long all = 0;
        for (Map.Entry<Submitted, Coming> one : coming.entrySet()) {
            all += one.getValue().bytes();
            if (one.getKey().user().equals(user)) own += one.getValue().bytes();
        }
        boolean isKnown = false;
        for (Job job : byId.values()) {
            isKnown |= Submitted.of(job).equals(submitted);
            if (isForgettable(job)) continue;
            all += job.bytes();
            if (job.user().equals(user)) own += job.bytes();
        }
        Coming before = coming.getOrDefault(submitted, Coming.NONE);
        long more = isKnown ? 0 : Math.max(0, bytes - before.bytes());
        if (more > 0) room.require(own, all, more);
        coming.put(submitted, new Coming(before.senders() + 1, before.bytes() + more));
    }

    /** It is among the jobs now, or will not be. */
    void came(String user, long submission) {
        coming.computeIfPresent(
                new Submitted(user, submission),
                (_, one) -> one.senders() == 1 ? null : new Coming(one.senders() - 1, one.bytes()));
        forgetOld();
    }

    void add(Job job) {
        byId.put(job.id(), job);
        coming.computeIfPresent(
                Submitted.of(job), (_, one) -> new Coming(one.senders(), 0)); // it counts itself
    }

    /** The table has all of it, and nobody is about to submit it a second time. */
    private boolean isForgettable(Job job) {
        return job.isTold() && !coming.containsKey(Submitted.of(job));
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

    /** The table has them still. What it does not have yet is kept, and counts as if it went on. */
    void forgetOld() {
        List<Long> done =
                byId.values().stream()
                        .filter(this::isForgettable)
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
