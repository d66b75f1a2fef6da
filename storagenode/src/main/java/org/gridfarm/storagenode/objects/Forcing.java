package org.gridfarm.storagenode.objects;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.ForceAllRequest;
import org.gridfarm.protocol.wire.ForceObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;

import java.util.concurrent.CompletableFuture;

/** Answers FORCE and FORCE_ALL: what is here is on stable storage, whoever wrote it. */
final class Forcing {
    private final ReplicaStore store;
    private final Admission admission;
    private final Intake intake;
    private final GuestsForce guests;

    Forcing(ReplicaStore store, Admission admission, Intake intake, Clock clock) {
        this.store = store;
        this.admission = admission;
        this.intake = intake;
        this.guests = new GuestsForce(store::forceAll, clock);
    }

    void register(Services.Builder services) {
        services.onAsync(StorageMethods.FORCE, intake.bounded(this::force))
                .onAsync(StorageMethods.FORCE_ALL, intake.bounded(this::forceAll));
    }

    private CompletableFuture<Empty> force(Exchange<ForceObjectRequest, Empty> exchange) {
        ForceObjectRequest request = exchange.request();
        ObjectKey key =
                admission.toSee(
                        exchange, request.getObject(), request.getTicket(), Doorkeeper.Right.READ);
        return store.force(key).thenApply(_ -> Empty.getDefaultInstance());
    }

    private CompletableFuture<Empty> forceAll(Exchange<ForceAllRequest, Empty> exchange) {
        boolean isGuest = exchange.peer().identity().role() == Role.GUEST;
        return (isGuest ? guests.all() : store.forceAll())
                .thenApply(_ -> Empty.getDefaultInstance());
    }
}
