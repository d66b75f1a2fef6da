package org.gridfarm.storagenode.control;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.SlowRequests;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.DeleteObjectsReply;
import org.gridfarm.protocol.wire.DeleteObjectsRequest;
import org.gridfarm.protocol.wire.FindObjectsReply;
import org.gridfarm.protocol.wire.FindObjectsRequest;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.NodeControlAnswer;
import org.gridfarm.protocol.wire.NodeControlCommand;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.VerifyObjectReply;
import org.gridfarm.protocol.wire.VerifyObjectRequest;
import org.gridfarm.storagenode.replica.Finder;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.ReplicaStore.IfAbsent;
import org.gridfarm.storagenode.replica.Verifier;
import org.gridfarm.storagenode.scrub.Scrubber;
import org.gridfarm.storagenode.transfer.Replication;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The metaserver's orders. They are answered on the node's own connection to it and nowhere else,
 * and so need no ticket.
 */
public final class Commands {
    private final ReplicaStore store;
    private final Verifier verifier;
    private final Replication replication;
    private final Scrubber scrubber;
    private final SlowRequests slow;
    private final Finder finder;

    public Commands(
            ReplicaStore store,
            Verifier verifier,
            Replication replication,
            Scrubber scrubber,
            SlowRequests slow) {
        this.slow = slow;
        this.store = store;
        this.verifier = verifier;
        this.replication = replication;
        this.scrubber = scrubber;
        this.finder = new Finder(store);
    }

    public Services services() {
        return Services.builder()
                .onAsync(
                        StorageMethods.REPLICATE_OBJECT,
                        exchange -> replication.replicate(exchange.request()))
                .onAsync(StorageMethods.DELETE_OBJECTS, exchange -> delete(exchange.request()))
                .onAsync(StorageMethods.SEAL_OBJECT, exchange -> seal(exchange.request()))
                .onAsync(StorageMethods.VERIFY_OBJECT, exchange -> verify(exchange.request()))
                .onAsync(StorageMethods.FIND_OBJECTS, exchange -> find(exchange.request()))
                .answer(StorageMethods.NODE_COMMAND, this::command)
                .build();
    }

    private NodeControlAnswer command(NodeControlCommand command) {
        return command.getCommand().equals("slow-requests")
                ? NodeControlAnswer.newBuilder().setJson(slow.json()).build()
                : scrubber.command(command);
    }

    /** What is not here counts as deleted. */
    private CompletableFuture<DeleteObjectsReply> delete(DeleteObjectsRequest request) {
        List<CompletableFuture<Boolean>> all =
                request.getObjectsList().stream()
                        .map(id -> store.delete(ObjectKey.of(id)))
                        .toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(_ ->
                        DeleteObjectsReply.newBuilder()
                                .addAllDeleted(request.getObjectsList())
                                .build());
    }

    private CompletableFuture<SealObjectReply> seal(SealObjectRequest request) {
        ObjectKey key = ObjectKey.of(request.getObject());
        ObjectKey next = key.withGeneration(request.getGeneration());
        return store.seal(key, request.getGeneration(), request.getStaged())
                .thenCompose(present -> {
                    if (!present && request.getMayBeAbsent()) {
                        return CompletableFuture.completedFuture(
                                SealObjectReply.getDefaultInstance());
                    }
                    return store.change(next, IfAbsent.FAIL, Commands::sealed);
                });
    }

    private static SealObjectReply sealed(Replica replica) throws IOException {
        return SealObjectReply.newBuilder()
                .setPresent(true)
                .setDigest(ByteString.copyFrom(replica.digest()))
                .setSize(replica.size())
                .setMtime(Files.getLastModifiedTime(replica.path()).to(TimeUnit.NANOSECONDS))
                .setAllocated(replica.allocated())
                .build();
    }

    private CompletableFuture<FindObjectsReply> find(FindObjectsRequest request) {
        return finder.find(request.getObjectsList().stream().map(ObjectKey::of).toList())
                .thenApply(found -> {
                    FindObjectsReply.Builder reply = FindObjectsReply.newBuilder();
                    for (Finder.Found each : found) {
                        reply.addFound(
                                FoundObject.newBuilder()
                                        .setObject(each.key().id())
                                        .setSize(each.size())
                                        .setQuarantined(each.quarantined()));
                    }
                    return reply.build();
                });
    }

    private CompletableFuture<VerifyObjectReply> verify(VerifyObjectRequest request) {
        return verifier.digest(ObjectKey.of(request.getObject()))
                .thenApply(result ->
                        VerifyObjectReply.newBuilder()
                                .setPresent(true)
                                .setSize(result.size())
                                .setDigest(ByteString.copyFrom(result.digest()))
                                .addAllBadBlocks(result.badBlocks())
                                .build())
                .exceptionally(failure -> {
                    FarmException why = FarmException.of(failure, "verify", "");
                    if (why.kind() == ErrorKind.OBJECT_ABSENT) {
                        return VerifyObjectReply.getDefaultInstance();
                    }
                    throw why;
                });
    }
}
