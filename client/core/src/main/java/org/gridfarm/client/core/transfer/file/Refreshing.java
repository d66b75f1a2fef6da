package org.gridfarm.client.core.transfer.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.known.Stripes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenReply;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
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

    /**
     * The layout with tickets that hold for a while; new ones are asked for when they do not.
     *
     * @param recalled the layout is not to be used any more
     */
    CompletableFuture<Layout> holding(Layout now, boolean recalled) {
        long left = Stripes.secondsOfTickets(now, wiring.now());
        boolean wait = recalled || left <= 1;
        if (!wait && left >= TransferLimits.TICKET_SECONDS_MIN) {
            return CompletableFuture.completedFuture(now);
        }
        if (!wait) {
            var unused = refresh(0);
            return CompletableFuture.completedFuture(now);
        }
        // What this client has opened by a decision of its own is answered when that is told.
        return wiring.metadata().durable().thenCompose(done -> holdingNow(recalled));
    }

    private CompletableFuture<Layout> holdingNow(boolean recalled) {
        Layout now = open.layoutNow();
        return !recalled && Stripes.secondsOfTickets(now, wiring.now()) > 1
                ? CompletableFuture.completedFuture(now)
                : refresh(0).thenApply(done -> open.layoutNow());
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
        ask(handle, wantedSize, new ArrayList<>(open.handles()))
                .whenComplete((reply, thrown) -> {
                    synchronized (this) {
                        underWay = null;
                    }
                    if (thrown == null) {
                        open.refreshed(reply);
                        mine.complete(null);
                    } else {
                        mine.completeExceptionally(
                                open.reason(FarmException.of(thrown, "refresh", "")));
                    }
                });
        return mine;
    }

    /** By another handle where this one was closed meanwhile. */
    private CompletableFuture<OpenReply> ask(
            FarmFileHandle handle, long wantedSize, List<FarmFileHandle> others) {
        others.remove(handle);
        return handle.told()
                .thenCompose(done ->
                        wiring.session()
                                .leader(
                                        MetadataMethods.REFRESH,
                                        () -> handle.refreshRequest(wantedSize).build(),
                                        wiring.session().deadline()))
                .exceptionallyCompose(thrown -> {
                    FarmFileHandle next = FarmFileHandle.strongest(others);
                    boolean closed =
                            FarmException.of(thrown, "refresh", "").kind() == ErrorKind.BAD_HANDLE;
                    return closed && next != null
                            ? ask(next, wantedSize, others)
                            : CompletableFuture.failedFuture(thrown);
                });
    }
}
