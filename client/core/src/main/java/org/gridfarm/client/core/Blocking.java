package org.gridfarm.client.core;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for an operation; its failure is told of the path that was given. */
final class Blocking {
    private Blocking() {}

    /**
     * An interrupt cancels the operation and is told as INTERRUPTED; the thread stays interrupted.
     */
    static <T> T await(CompletableFuture<T> future, String operation, Object subject) {
        try {
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
