package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Asks the leader for new tickets and the present chain of an open file, in the name of the handle
 * that may most. One request at a time: who comes meanwhile waits for the same. Thread-safe.
 */
final class Refreshing {
    private final OpenInode open;
    private final Wiring wiring;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> underWay;

    Refreshing(OpenInode open, Wiring wiring) {
        this.open = open;
        this.wiring = wiring;
    }

    /** The node is fine; what is known here of the file is not what holds now. */
    static boolean helpsAgainst(FarmException failure) {
        return failure.kind() == ErrorKind.TICKET_REFUSED
                || failure.kind() == ErrorKind.WRONG_GENERATION;
    }

    CompletableFuture<Void> refresh(long wantedSize) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        FarmFileHandle handle = FarmFileHandle.strongest(open.handles());
        synchronized (this) {
            if (underWay != null) {
                return underWay;
            }
            if (handle == null) {
                return CompletableFuture.failedFuture(
                        new FarmException(ErrorKind.BAD_HANDLE, "refresh", ""));
            }
            underWay = mine;
        }
        wiring.session()
                .leader(
                        MetadataMethods.REFRESH,
                        () -> open.refreshRequest(handle, wantedSize),
                        wiring.session().deadline())
                .whenComplete((reply, thrown) -> {
                    synchronized (this) {
                        underWay = null;
                    }
                    if (thrown == null) {
                        open.refreshed(reply);
                        mine.complete(null);
                    } else {
                        mine.completeExceptionally(FarmException.of(thrown, "refresh", ""));
                    }
                });
        return mine;
    }
}
