package org.gridfarm.client.core;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Waits for an operation; its failure is told of the path that was given. */
final class Blocking {
    private Blocking() {}

    /**
     * A call that begins with what a path leads to, made again while that is removed or replaced
     * before it is used: a path leads to something or to nothing, but never to what it led to.
     */
    static <T> T byPath(Duration atMost, Supplier<T> call) {
        long until = System.nanoTime() + atMost.toNanos();
        while (true) {
            try {
                return call.get();
            } catch (FarmException e) {
                if (e.kind() != ErrorKind.STALE || System.nanoTime() - until >= 0) {
                    throw e;
                }
            }
        }
    }

    /** For what does not wait: INTERRUPTED, as a wait would be. */
    static void requireNoInterrupt(String operation, Object subject) {
        if (Thread.currentThread().isInterrupted()) {
            throw new FarmException(ErrorKind.INTERRUPTED, operation, subject.toString());
        }
    }

    /**
     * An interrupt cancels the operation and is told as INTERRUPTED, as is one of before the call;
     * the thread stays interrupted.
     */
    static <T> T await(CompletableFuture<T> future, String operation, Object subject) {
        try {
            // The result may be there before we ask, and asking for it does not look.
            if (Thread.interrupted()) throw new InterruptedException();
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(false);
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, operation, subject.toString());
        } catch (ExecutionException e) {
            throw FarmException.of(e, operation, subject.toString())
                    .about(operation, subject.toString());
        }
    }
}
