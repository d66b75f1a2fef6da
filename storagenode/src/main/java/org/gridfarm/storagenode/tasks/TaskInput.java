package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * The standard input of a task, which somebody sends piece by piece while it runs. Holds little of
 * it: a sender waits for the task. One that is not heard of for {@link #SILENCE_MAX} is gone; a
 * task that was given a part is ended then, since it would take that for all, and one that was
 * given nothing has an empty input. Thread-safe.
 */
final class TaskInput {
    static final int HELD_BYTES_MAX = 1 << 20;
    static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
    private static final Duration WAIT_MAX = Duration.ofSeconds(5); // below what a call may take
    private static final Logger LOG = LoggerFactory.getLogger(TaskInput.class);

    private final Clock clock;

    @GuardedBy("this")
    private final Deque<ByteString> held = new ArrayDeque<>();

    @GuardedBy("this")
    private long heldBytes;

    @GuardedBy("this")
    private long accepted;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private boolean cutOff;

    @GuardedBy("this")
    private long heardNanos;

    @GuardedBy("this")
    private CompletableFuture<Boolean> news = new CompletableFuture<>(); // room, or closed

    TaskInput(Clock clock) {
        this.clock = clock;
    }

    /** Now, or when there is room for it, or when the time is over. */
    CompletableFuture<WriteTaskInputReply> write(WriteTaskInputRequest piece) {
        if (piece.getData().size() > HELD_BYTES_MAX || piece.getOffset() < 0) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "task input",
                    piece.getTask(),
                    "a piece has up to " + HELD_BYTES_MAX + " bytes");
        }
        CompletableFuture<Boolean> awaited;
        synchronized (this) {
            take(piece);
            boolean isTaken = accepted >= piece.getOffset() + piece.getData().size();
            boolean isOver = isTaken && !piece.getEnd() || accepted < piece.getOffset();
            if (closed || isOver || piece.getWaitMillis() == 0) {
                return CompletableFuture.completedFuture(reply());
            }
            awaited = news.copy();
        }
        Duration most = Duration.ofMillis(Math.min(piece.getWaitMillis(), WAIT_MAX.toMillis()));
        clock.after(most, () -> awaited.complete(false));
        return awaited.thenApplyAsync(
                _ -> {
                    synchronized (this) {
                        take(piece);
                        return reply();
                    }
                },
                Thread::startVirtualThread);
    }

    @GuardedBy("this")
    private WriteTaskInputReply reply() {
        return WriteTaskInputReply.newBuilder().setAccepted(accepted).setClosed(closed).build();
    }

    @GuardedBy("this")
    private void take(WriteTaskInputRequest piece) {
        heardNanos = clock.nanoTime();
        int size = piece.getData().size();
        if (closed || ended || piece.getOffset() != accepted) {
            return; // it was taken before, or another one is missing
        }
        if (size > 0 && heldBytes > 0 && heldBytes + size > HELD_BYTES_MAX) {
            return;
        }
        if (size > 0) {
            held.add(piece.getData());
            heldBytes += size;
            accepted += size;
        }
        ended = piece.getEnd();
        notifyAll();
    }

    /**
     * From now on, on a thread of its own; closes the stream at the end.
     *
     * @param kill ends the task
     */
    void feed(OutputStream to, Runnable kill) {
        synchronized (this) {
            heardNanos = clock.nanoTime();
        }
        Thread.ofVirtual().name("task-input").start(() -> copy(to));
        watch(kill);
    }

    private void copy(OutputStream to) {
        try (to) {
            while (true) {
                ByteString next;
                synchronized (this) {
                    while (held.isEmpty() && !ended && !closed) {
                        wait();
                    }
                    if (held.isEmpty() || closed) {
                        return;
                    }
                    next = held.remove();
                }
                next.writeTo(to);
                to.flush();
                tell(next.size());
            }
        } catch (IOException e) {
            LOG.debug("a task reads no more of its input: {}", e.toString());
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(int written) {
        CompletableFuture<Boolean> told;
        synchronized (this) {
            heldBytes -= written;
            told = news;
            news = new CompletableFuture<>();
        }
        told.complete(true);
    }

    private void watch(Runnable kill) {
        boolean isGone;
        synchronized (this) {
            if (closed || ended) {
                return;
            }
            isGone = clock.nanoTime() - heardNanos > SILENCE_MAX.toNanos();
            if (isGone) {
                ended = true;
                cutOff = accepted > 0;
                isGone = cutOff;
                notifyAll();
            }
        }
        if (isGone) {
            kill.run();
        } else {
            clock.after(LOOK_EVERY, () -> watch(kill));
        }
    }

    /** The sender was lost in the middle. */
    synchronized boolean isCutOff() {
        return cutOff;
    }

    /** The task has ended, or reads no more. */
    void close() {
        CompletableFuture<Boolean> told;
        synchronized (this) {
            closed = true;
            held.clear();
            notifyAll();
            told = news;
            news = new CompletableFuture<>();
        }
        told.complete(true);
    }
}
