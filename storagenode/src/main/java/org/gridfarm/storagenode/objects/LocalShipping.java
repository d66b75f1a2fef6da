package org.gridfarm.storagenode.objects;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Sends down the chain what a local writer changed in the plain file: the file is read, blocks
 * whose checksum differs from the kept one are sent, then its size. One MiB of file is looked at in
 * one turn of the object, and its changes are acknowledged before the next.
 */
final class LocalShipping {
    private final ReplicaStore store;
    private final ChainLines lines;
    private final Sendings sendings;

    LocalShipping(ReplicaStore store, ChainLines lines, Sendings sendings) {
        this.store = store;
        this.lines = lines;
        this.sendings = sendings;
    }

    /** Ships everything that must be shipped before this sync; answers who failed meanwhile. */
    CompletableFuture<List<MemberFailure>> ship(ObjectKey key, SyncObjectRequest request) {
        Replica open = store.peek(key);
        boolean later = request.getDurable() && request.getRestCount() == 0 && !request.getDigest();
        if (open == null || !open.isLocallyChanged() || later) {
            return CompletableFuture.completedFuture(List.of());
        }
        return next(key, request, 0, new ArrayList<>());
    }

    private record Turn(long next, List<CompletableFuture<ChainOutcome>> sent) {}

    private CompletableFuture<List<MemberFailure>> next(
            ObjectKey key, SyncObjectRequest request, long block, List<MemberFailure> failures) {
        return store.change(
                        key, ReplicaStore.IfAbsent.FAIL, replica -> turn(replica, request, block))
                .thenCompose(turn ->
                        CompletableFuture.allOf(turn.sent.toArray(CompletableFuture[]::new))
                                .thenCompose(_ -> {
                                    turn.sent.forEach(
                                            done -> failures.addAll(done.join().getFailuresList()));
                                    return turn.next < 0
                                            ? CompletableFuture.completedFuture(failures)
                                            : next(key, request, turn.next, failures);
                                }));
    }

    private Turn turn(Replica replica, SyncObjectRequest request, long block) throws IOException {
        List<CompletableFuture<ChainOutcome>> sent = new ArrayList<>();
        long next =
                replica.rescan(
                        block,
                        (offset, content) -> {
                            if (request.getRestCount() > 0) {
                                sent.add(send(request, replica.key(), offset, content));
                            }
                        });
        if (next < 0 && request.getRestCount() > 0) {
            TruncateObjectRequest size =
                    TruncateObjectRequest.newBuilder()
                            .setObject(request.getObject())
                            .setSize(replica.size())
                            .setCreate(true)
                            .setWriter(request.getWriter())
                            .setFence(request.getFence())
                            .build();
            sent.add(lines.of(replica.key()).send(request.getRestList(), sendings.truncate(size)));
        }
        return new Turn(next, sent);
    }

    private CompletableFuture<ChainOutcome> send(
            SyncObjectRequest request, ObjectKey key, long offset, ByteBuffer content) {
        ByteBuf copy = Unpooled.directBuffer(content.remaining()).writeBytes(content);
        WriteObjectRequest write =
                WriteObjectRequest.newBuilder()
                        .setObject(request.getObject())
                        .setCreate(true)
                        .setCrc32C(Payload.crc(copy))
                        .setWriter(request.getWriter())
                        .setFence(request.getFence())
                        .build();
        return lines.of(key)
                .send(request.getRestList(), sendings.write(write, offset, copy))
                .whenComplete((_, _) -> copy.release());
    }

    /** Each failed member once. */
    ChainOutcome withFailures(ChainOutcome outcome, List<MemberFailure> earlier) {
        if (earlier.isEmpty()) {
            return outcome;
        }
        Map<String, MemberFailure> byNode = new LinkedHashMap<>();
        earlier.forEach(failure -> byNode.putIfAbsent(failure.getNode(), failure));
        outcome.getFailuresList()
                .forEach(failure -> byNode.putIfAbsent(failure.getNode(), failure));
        return outcome.toBuilder().clearFailures().addAllFailures(byNode.values()).build();
    }
}
