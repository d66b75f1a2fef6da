package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.placement.Candidate;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.worker.Farm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * {@code --spread}: further copies of a file that more waiting tasks of a job read than the nodes
 * that hold it have slots, at nodes with free slots, ahead of the tasks. While they are made, tasks
 * of the job start beside their input alone; then they find more places for that. The metaserver
 * keeps such a copy for as long as it is asked again, so it goes some time after a scheduler that
 * was killed, and when the job has ended. Owned by the event thread.
 */
final class Spreading {
    private static final Logger log = LoggerFactory.getLogger(Spreading.class);

    /** For how long a copy is asked for: so much longer it stays when nobody asks again. */
    private static final Duration KEEP = Duration.ofMinutes(2);

    private static final Duration RENEW_EVERY = Duration.ofSeconds(30);

    /** Between two asks for a copy that takes long. */
    private static final Duration ASK_EVERY = Duration.ofSeconds(1);

    /** Between two looks at the copies, unless something was answered. */
    private static final Duration CHECK_EVERY = Duration.ofMillis(100);

    /** Between two looks at all that wait of a job: there may be thousands. */
    private static final Duration LOOK_PAUSE = Duration.ofMillis(500);

    /** Between two looks at the same input of a job, while tasks that read it wait. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    /** Inputs of a job that are looked at; those that most tasks read come first. */
    private static final int INPUTS_MAX = 64;

    /** Tasks wait for copies for so long, and as long again as making these should take. */
    private static final Duration WAIT_MIN = Duration.ofSeconds(5);

    private static final double NANOS = 1e9;

    /** One file at one node. */
    private record Copy(ByteString path, String node) {}

    private static final class Kept {
        final Copy copy;
        final Credentials who;
        final long bytes;
        final Set<Queue.Waiting> users = new HashSet<>();
        boolean isThere;
        boolean isRefused;
        boolean isAsked; // and not answered
        long asked; // nanoseconds

        Kept(Copy copy, Credentials who, long bytes) {
            this.copy = copy;
            this.who = who;
            this.bytes = bytes;
        }

        boolean isComing() {
            return !isThere && !isRefused;
        }
    }

    private static final class Wish {
        final Map<ByteString, Long> looked = new HashMap<>(); // nanoseconds
        int looking; // inputs of which it is asked where they lie
        long until; // tasks wait for copies, nanoseconds
        boolean isBegun;
        long lookedAt; // nanoseconds
    }

    private final Farm farm;
    private final Accounts accounts;
    private final Slots slots;
    private final Clock clock;
    private final Executor events;
    private final Runnable changed;
    private final Map<Copy, Kept> kept = new LinkedHashMap<>();
    private final Map<Queue.Waiting, Wish> wishes = new HashMap<>();
    private boolean isAnswered; // since the copies were looked at
    private long checked; // nanoseconds

    /**
     * @param changed runs when something more can be placed
     */
    Spreading(
            Farm farm,
            Accounts accounts,
            Slots slots,
            Clock clock,
            Executor events,
            Runnable changed) {
        this.farm = farm;
        this.accounts = accounts;
        this.slots = slots;
        this.clock = clock;
        this.events = events;
        this.changed = changed;
    }

    /** Before tasks are placed. */
    void look(List<Queue.Waiting> inOrder) {
        long now = clock.nanoTime();
        for (Queue.Waiting waiting : inOrder) {
            if (waiting.job.request().getSpread()
                    && waiting.locating.isEmpty()
                    && waiting.isStartable()) {
                look(waiting, now);
            }
        }
        if (isAnswered || now - checked >= CHECK_EVERY.toNanos()) {
            isAnswered = false;
            checked = now;
            check(now);
        }
    }

    private void check(long now) {
        for (Kept one : kept.values()) {
            Duration pause = one.isThere ? RENEW_EVERY : ASK_EVERY;
            if (!one.isAsked && !one.isRefused && now - one.asked >= pause.toNanos()) {
                ask(one, now);
            }
        }
        wishes.forEach((waiting, wish) -> waiting.isSpreading = isWaiting(waiting, wish, now));
    }

    private boolean isWaiting(Queue.Waiting waiting, Wish wish, long now) {
        boolean isUnderWay =
                wish.looking > 0
                        || kept.values().stream()
                                .anyMatch(one -> one.isComing() && one.users.contains(waiting));
        return isUnderWay && now - wish.until < 0;
    }

    private void look(Queue.Waiting waiting, long now) {
        Wish wish = wishes.computeIfAbsent(waiting, _ -> new Wish());
        if (!wish.isBegun) {
            wish.isBegun = true;
            isAnswered = true;
            wish.until = now + WAIT_MIN.toNanos();
        } else if (now - wish.lookedAt < LOOK_PAUSE.toNanos()) {
            return;
        }
        wish.lookedAt = now;
        int fewest = slots.usable().stream().mapToInt(NodeSlots::slots).min().orElse(0);
        readers(waiting).entrySet().stream()
                .filter(one -> one.getValue() > fewest)
                .sorted(Map.Entry.<ByteString, Integer>comparingByValue().reversed())
                .limit(INPUTS_MAX)
                .filter(one -> isDue(wish, one.getKey(), now))
                .forEach(one -> look(waiting, wish, one.getKey(), now));
    }

    private static boolean isDue(Wish wish, ByteString path, long now) {
        Long before = wish.looked.get(path);
        return before == null || now - before >= LOOK_EVERY.toNanos();
    }

    /** Slots that waiting tasks ask for, by what they read. */
    private static Map<ByteString, Integer> readers(Queue.Waiting waiting) {
        Map<ByteString, Integer> readers = new LinkedHashMap<>();
        for (Candidate<Task> candidate : waiting.backlog.all()) {
            for (ByteString path : Set.copyOf(candidate.task().spec().getInputsList())) {
                readers.merge(path, candidate.slots(), Integer::sum);
            }
        }
        return readers;
    }

    private void look(Queue.Waiting waiting, Wish wish, ByteString path, long now) {
        wish.looked.put(path, now);
        wish.looking++;
        CompletableFuture.completedFuture(waiting.job.user())
                .thenCompose(accounts::of)
                .thenCompose(account ->
                        farm.holdings(account.credentials(), List.of(path))
                                .thenAccept(holdings ->
                                        events.execute(() ->
                                                spread(
                                                        waiting,
                                                        wish,
                                                        path,
                                                        account.credentials(),
                                                        holdings))))
                .whenCompleteAsync(
                        (_, failure) -> {
                            wish.looking--;
                            isAnswered = true;
                            told("where input lies", failure);
                            changed.run();
                        },
                        events);
    }

    /** Chooses nodes with free slots until there are as many slots beside copies as readers. */
    private void spread(
            Queue.Waiting waiting,
            Wish wish,
            ByteString path,
            Credentials who,
            Farm.Holdings holdings) {
        long bytes = holdings.totalBytes();
        int wanted = readers(waiting).getOrDefault(path, 0);
        if (bytes == 0 || waiting.job.isDone()) {
            return;
        }
        List<NodeSlots> others = new ArrayList<>();
        for (NodeSlots node : slots.usable()) {
            Kept known = kept.get(new Copy(path, node.name()));
            boolean holds = holdings.bytesByNode().getOrDefault(node.name(), 0L) >= bytes;
            if (!waiting.demand.allowed().test(node.name())) {
                continue;
            }
            if (known != null) {
                known.users.add(waiting); // another job's copy serves this one as well
            }
            if (holds || known != null && known.isComing()) {
                wanted -= node.slots();
            } else if (known == null && node.free() > 0) {
                others.add(node);
            }
        }
        others.sort(Comparator.<NodeSlots>comparingInt(node -> -node.free()));
        long now = clock.nanoTime();
        for (NodeSlots node : others) {
            if (wanted > 0) {
                wanted -= node.slots();
                Copy copy = new Copy(path, node.name());
                Kept one = new Kept(copy, who, bytes);
                one.users.add(waiting);
                kept.put(copy, one);
                wish.until += (long) (2 * NANOS * waiting.costs.remoteReadSeconds(bytes));
                ask(one, now);
            }
        }
    }

    private void ask(Kept one, long now) {
        one.isAsked = true;
        one.asked = now;
        spread(one, KEEP)
                .whenCompleteAsync(
                        (_, failure) -> {
                            one.isAsked = false;
                            isAnswered = true;
                            if (failure == null) {
                                one.isThere = true;
                                one.users.forEach(waiting -> found(waiting, one));
                            } else {
                                one.isRefused = isRefused(failure);
                                told("a copy for tasks", failure);
                            }
                            changed.run();
                        },
                        events);
    }

    private CompletableFuture<Void> spread(Kept one, Duration keep) {
        return CompletableFuture.completedFuture(keep)
                .thenCompose(time -> farm.spread(one.who, one.copy.path(), one.copy.node(), time));
    }

    private static boolean isRefused(Throwable failure) {
        return FarmException.of(failure, "spread", "").kind().retry() == Retry.NEVER;
    }

    private static void told(String what, @Nullable Throwable failure) {
        if (failure != null) {
            log.info("{}: {}", what, FarmException.of(failure, "spread", "").getMessage());
        }
    }

    /** Tasks that wait learn of it, each once. */
    private static void found(Queue.Waiting waiting, Kept one) {
        for (Candidate<Task> candidate : waiting.backlog.all()) {
            Task task = candidate.task();
            if (task.spec().getInputsList().contains(one.copy.path())
                    && candidate.holders().getOrDefault(one.copy.node(), 0L) < one.bytes) {
                Map<String, Long> holders = new HashMap<>(candidate.holders());
                holders.merge(one.copy.node(), one.bytes, Long::sum);
                waiting.job.locate(task, holders, candidate.inputBytes());
                waiting.backlog.remove(task);
                waiting.backlog.add(
                        new Candidate<>(task, candidate.slots(), candidate.inputBytes(), holders));
            }
        }
    }

    /** Its copies go, unless another job has use for them. */
    void end(Job job) {
        wishes.keySet().removeIf(waiting -> waiting.job == job);
        List<Kept> unused = new ArrayList<>();
        for (Kept one : kept.values()) {
            if (one.users.removeIf(waiting -> waiting.job == job) && one.users.isEmpty()) {
                unused.add(one);
            }
        }
        for (Kept one : unused) {
            kept.remove(one.copy);
            spread(one, Duration.ZERO)
                    .whenComplete((_, failure) -> told("a copy that no task needs", failure));
        }
    }
}
