package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.scheduler.job.Job;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * Jobs that come after others: each is held back until those have ended, and cancelled if one was
 * to succeed and did not. What has ended need not stay in memory for it: a follower keeps in mind
 * which of them it has seen succeed, and the table knows of the rest. Event thread.
 */
final class Followers {
    private static final Logger log = LoggerFactory.getLogger(Followers.class);
    private static final String SUCCEEDED = "succeeded";

    /** How a job ended that is not in memory. Empty: none that has ended is known. */
    interface Ends {
        CompletableFuture<Optional<String>> of(long job);
    }

    private static final class Follower {
        final Job job;
        final Set<After> met = new HashSet<>();

        /** What the table is asked about; one after the other. */
        @Nullable After asked;

        Follower(Job job) {
            this.job = job;
        }
    }

    private final KnownJobs jobs;
    private final Queue queue;
    private final Ends ends;
    private final Clock clock;
    private final Executor events;

    /** Cancels a job and says why. */
    private final BiConsumer<Job, String> cancel;

    private final Runnable placeSoon;

    private final Map<Job, Follower> followers = new LinkedHashMap<>();

    Followers(
            KnownJobs jobs,
            Queue queue,
            Ends ends,
            Clock clock,
            Executor events,
            BiConsumer<Job, String> cancel,
            Runnable placeSoon) {
        this.jobs = jobs;
        this.queue = queue;
        this.ends = ends;
        this.clock = clock;
        this.events = events;
        this.cancel = cancel;
        this.placeSoon = placeSoon;
    }

    /** One that has begun has waited already, maybe before the scheduler was started anew. */
    void add(Job job) {
        if (job.request().getAfterCount() > 0 && !job.hasStarted()) {
            Follower follower = new Follower(job);
            followers.put(job, follower);
            heed(follower);
        }
    }

    /** It has ended; what came after it alone may start, or is cancelled. */
    void ended(Job job) {
        followers.remove(job);
        List.copyOf(followers.values()).forEach(this::heed);
    }

    private void heed(Follower follower) {
        if (followers.get(follower.job) != follower) return; // it has ended, or may start
        List<String> before = new ArrayList<>();
        for (After after : follower.job.request().getAfterList()) {
            if (follower.met.contains(after)) continue;
            Optional<Job> other = jobs.find(after.getJob());
            if (other.isPresent() && !other.get().isDone()) {
                String until = after.getAny() ? " to end" : " to succeed";
                before.add("job " + after.getJob() + until);
            } else if (after.getAny()) {
                follower.met.add(after);
            } else if (other.isEmpty()) {
                before.add("job " + after.getJob() + " to be looked up");
                ask(follower, after);
            } else if (!see(follower, after, other.map(Job::state))) {
                return;
            }
        }
        queue.find(follower.job)
                .ifPresent(waiting ->
                        waiting.before =
                                before.isEmpty()
                                        ? ""
                                        : "waits for " + String.join(" and ", before));
        if (before.isEmpty()) {
            followers.remove(follower.job);
        }
    }

    /** Whether it has succeeded, as it was to; the follower is cancelled if not. */
    private boolean see(Follower follower, After after, Optional<String> end) {
        if (end.filter(SUCCEEDED::equals).isPresent()) {
            follower.met.add(after);
            return true;
        }
        followers.remove(follower.job);
        cancel.accept(
                follower.job, "job " + after.getJob() + " " + end.orElse("is not known any more"));
        return false;
    }

    private void ask(Follower follower, After after) {
        if (follower.asked != null) return;
        follower.asked = after;
        ends.of(after.getJob())
                .whenCompleteAsync(
                        (end, failure) -> {
                            if (failure == null) {
                                follower.asked = null;
                                answered(follower, after, end);
                            } else {
                                log.warn(
                                        "how job {} ended: {}", after.getJob(), failure.toString());
                                clock.after(
                                        Limits.RETRY_AFTER,
                                        () ->
                                                events.execute(() -> {
                                                    follower.asked = null;
                                                    heed(follower);
                                                }));
                            }
                        },
                        events);
    }

    private void answered(Follower follower, After after, Optional<String> end) {
        if (followers.get(follower.job) == follower && see(follower, after, end)) {
            heed(follower);
            placeSoon.run();
        }
    }
}
