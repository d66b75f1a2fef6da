package org.gridfarm.storagenode.scrub;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeControlAnswer;
import org.gridfarm.protocol.wire.NodeControlCommand;
import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.replica.Inventory;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.Verifier;
import org.gridfarm.storagenode.transfer.Throttle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One pass after the other. Commands: {@code scrub-start} (with {@code rate} in bytes per second, 0
 * for no limit), {@code scrub-stop}, {@code scrub-status}; the answer is always the status.
 * Thread-safe.
 */
public final class Scrubber {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private final ReplicaStore store;
    private final Verifier verifier;
    private final Throttle throttle;
    private final NodeCounters counters;
    private final Executor background;
    private final Clock clock;
    private final Duration every;
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicLong objects = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private volatile boolean stop;
    private volatile @Nullable Instant started;
    private volatile @Nullable Instant ended;

    @GuardedBy("this")
    private Clock.@Nullable Timer next;

    /**
     * @param background one thread that passes may keep
     * @param every from the end of one pass to the start of the next; zero for none but on command
     */
    public Scrubber(
            ReplicaStore store,
            Verifier verifier,
            NodeCounters counters,
            Executor background,
            Clock clock,
            long bytesPerSecond,
            Duration every) {
        this.store = store;
        this.verifier = verifier;
        this.counters = counters;
        this.background = background;
        this.clock = clock;
        this.every = every;
        this.throttle = new Throttle(clock, bytesPerSecond);
    }

    /** The first pass comes after the interval, the node has other things to do when it starts. */
    public synchronized void schedule() {
        if (!every.isZero()) {
            next = clock.after(every, this::start);
        }
    }

    public void rate(long bytesPerSecond) {
        throttle.rate(bytesPerSecond);
    }

    /** Begins a pass unless one is under way. */
    public void start() {
        if (!running.compareAndSet(false, true)) {
            return;
        }
        stop = false;
        objects.set(0);
        bytes.set(0);
        bad.set(0);
        started = clock.now();
        ended = null;
        background.execute(this::pass);
    }

    public synchronized void stop() {
        stop = true;
        if (next != null) {
            next.cancel();
        }
    }

    private void pass() {
        try {
            new Inventory(store)
                    .walk((key, size, dirty) -> {
                        verify(key, size);
                        return !stop;
                    });
            LOG.info("scrubbed {} replicas, {} bytes, {} bad", objects, bytes, bad);
        } catch (IOException | RuntimeException e) {
            LOG.warn("scrub: {}", e.toString());
        } finally {
            ended = clock.now();
            running.set(false);
            if (!stop) {
                schedule();
            }
        }
    }

    private void verify(ObjectKey key, long size) {
        try {
            if (!verifier.verify(key, throttle).join().badBlocks().isEmpty()) {
                bad.incrementAndGet();
            }
        } catch (CompletionException e) {
            FarmException why = FarmException.of(e, "scrub", key.toString());
            if (why.kind() == ErrorKind.CORRUPT) {
                bad.incrementAndGet();
            } else if (why.kind() != ErrorKind.OBJECT_ABSENT) {
                LOG.warn("{}", why.getMessage());
            }
        }
        objects.incrementAndGet();
        bytes.addAndGet(size);
        counters.scrubbedBytes.add(size);
    }

    public NodeControlAnswer command(NodeControlCommand command) {
        String rate = command.getArgumentsMap().get("rate");
        if (rate != null) {
            if (!rate.matches("[0-9]{1,15}")) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        command.getCommand(),
                        "rate",
                        "not a number of bytes per second");
            }
            rate(Long.parseLong(rate));
        }
        switch (command.getCommand()) {
            case "scrub-start" -> start();
            case "scrub-stop" -> stop();
            case "scrub-status" -> {}
            default ->
                    throw new FarmException(
                            ErrorKind.UNSUPPORTED,
                            "node command",
                            command.getCommand(),
                            "known: scrub-start scrub-stop scrub-status slow-requests");
        }
        return NodeControlAnswer.newBuilder().setJson(status()).build();
    }

    private String status() {
        return "{\"running\":%b,\"rate\":%d,\"objects\":%d,\"bytes\":%d,\"bad\":%d,\"started\":%s,\"ended\":%s}"
                .formatted(
                        running.get(),
                        throttle.rate(),
                        objects.get(),
                        bytes.get(),
                        bad.get(),
                        text(started),
                        text(ended));
    }

    private static String text(@Nullable Instant instant) {
        return instant == null ? "null" : "\"" + instant + "\"";
    }
}
