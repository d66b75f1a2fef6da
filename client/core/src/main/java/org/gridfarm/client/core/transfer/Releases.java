package org.gridfarm.client.core.transfer;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.CloseRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Gives up handles at the leader: those that come while one request is under way go together in the
 * next. Thread-safe.
 */
final class Releases {
    private final FarmSession session;
    private List<Long> waiting = new ArrayList<>(); // guarded by this, as are the next two
    private CompletableFuture<Void> next = new CompletableFuture<>();
    private boolean underWay;

    Releases(FarmSession session) {
        this.session = session;
    }

    CompletableFuture<Void> release(long handle) {
        CompletableFuture<Void> mine;
        synchronized (this) {
            waiting.add(handle);
            mine = next;
        }
        send();
        return mine;
    }

    private void send() {
        List<Long> handles;
        CompletableFuture<Void> done;
        synchronized (this) {
            if (underWay || waiting.isEmpty()) {
                return;
            }
            underWay = true;
            handles = waiting;
            done = next;
            waiting = new ArrayList<>();
            next = new CompletableFuture<>();
        }
        session.leader(
                        MetadataMethods.CLOSE,
                        () ->
                                CloseRequest.newBuilder()
                                        .setSession(session.id())
                                        .addAllHandles(handles)
                                        .build(),
                        session.deadline())
                .whenComplete((reply, thrown) -> {
                    synchronized (this) {
                        underWay = false;
                    }
                    if (thrown == null) {
                        done.complete(null);
                    } else {
                        done.completeExceptionally(thrown);
                    }
                    send();
                });
    }
}
