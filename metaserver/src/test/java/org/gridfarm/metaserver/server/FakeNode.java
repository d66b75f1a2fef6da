package org.gridfarm.metaserver.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.DeleteObjectsReply;
import org.gridfarm.protocol.wire.FindObjectsReply;
import org.gridfarm.protocol.wire.FindObjectsRequest;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.HeartbeatReply;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.HeldObject;
import org.gridfarm.protocol.wire.InventoryRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.RegisterNodeReply;
import org.gridfarm.protocol.wire.RegisterNodeRequest;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.VerifyObjectReply;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A storage node's conversation with the metaserver, without any storage: it obeys and notes what
 * it was told.
 */
final class FakeNode implements AutoCloseable {
    final String name;
    final List<ReplicateObjectRequest> copies = new CopyOnWriteArrayList<>();
    final List<SealObjectRequest> seals = new CopyOnWriteArrayList<>();
    final List<ObjectId> deleted = new CopyOnWriteArrayList<>();

    /** What it finds when it is asked by name. */
    final Set<ObjectId> holds = ConcurrentHashMap.newKeySet();

    final RegisterNodeReply registered;
    volatile String digest = "";
    volatile boolean refusesSeals;
    volatile boolean refusesDeletes;
    volatile List<ObjectId> damaged = List.of();
    volatile CompletableFuture<?> copied = CompletableFuture.completedFuture(true);
    volatile CompletableFuture<?> sealed = CompletableFuture.completedFuture(true);
    volatile CompletableFuture<?> verified = CompletableFuture.completedFuture(true);
    private final Peer peer;
    private final ScheduledExecutorService beat = Executors.newSingleThreadScheduledExecutor();

    final long incarnation;

    /** One that holds nothing. */
    FakeNode(TestFarm farm, MetaServerDaemon server, String name) {
        this(farm, server, name, name.hashCode(), List.of());
    }

    FakeNode(
            TestFarm farm,
            MetaServerDaemon server,
            String name,
            long incarnation,
            List<ObjectId> held) {
        this(farm, server, name, incarnation, held, node -> {});
    }

    /**
     * @param walked runs when the inventory has been made and is not yet on its way
     */
    FakeNode(
            TestFarm farm,
            MetaServerDaemon server,
            String name,
            long incarnation,
            List<ObjectId> held,
            Consumer<FakeNode> walked) {
        this.name = name;
        this.incarnation = incarnation;
        this.holds.addAll(held);
        peer =
                farm.dial(
                        name,
                        server,
                        Services.builder()
                                .on(
                                        StorageMethods.REPLICATE_OBJECT,
                                        exchange -> {
                                            long size = exchange.request().getSize();
                                            copies.add(exchange.request());
                                            copied.thenRun(() ->
                                                    exchange.reply(
                                                            ReplicateObjectReply.newBuilder()
                                                                    .setSize(size)
                                                                    .build()));
                                        })
                                .on(
                                        StorageMethods.SEAL_OBJECT,
                                        exchange -> {
                                            seals.add(exchange.request());
                                            sealed.thenRun(() -> seal(exchange));
                                        })
                                .on(
                                        StorageMethods.VERIFY_OBJECT,
                                        exchange ->
                                                verified.thenRun(() ->
                                                        exchange.reply(
                                                                VerifyObjectReply.newBuilder()
                                                                        .setPresent(true)
                                                                        .setDigest(
                                                                                ByteString
                                                                                        .copyFromUtf8(
                                                                                                digest))
                                                                        .build())))
                                .answer(StorageMethods.FIND_OBJECTS, this::find)
                                .answer(
                                        StorageMethods.DELETE_OBJECTS,
                                        q -> {
                                            deleted.addAll(q.getObjectsList());
                                            q.getObjectsList().forEach(holds::remove);
                                            if (refusesDeletes) {
                                                throw new FarmException(
                                                        ErrorKind.DISK_FAILED, "delete", name);
                                            }
                                            return DeleteObjectsReply.newBuilder()
                                                    .addAllDeleted(q.getObjectsList())
                                                    .build();
                                        })
                                .build());
        registered = register(held.isEmpty(), false);
        walked.accept(this);
        if (registered.getWantInventory()) {
            InventoryRequest.Builder inventory =
                    InventoryRequest.newBuilder().setName(name).setEnd(true);
            held.forEach(object ->
                    inventory.addObjects(HeldObject.newBuilder().setObject(object).setDirty(true)));
            TestFarm.get(
                    peer.callPlain(
                            MetadataMethods.INVENTORY, inventory.build(), TestFarm.PATIENCE));
        }
        beat();
        beat.scheduleAtFixedRate(this::beat, 300, 300, TimeUnit.MILLISECONDS);
    }

    RegisterNodeReply register(boolean empty, boolean holdingChanged) {
        return TestFarm.get(
                peer.callPlain(
                        MetadataMethods.REGISTER_NODE,
                        RegisterNodeRequest.newBuilder()
                                .setName(name)
                                .setAddress("127.0.0.1:1")
                                .setHost(name)
                                .setIncarnation(incarnation)
                                .setEmpty(empty)
                                .setHoldingChanged(holdingChanged)
                                .build(),
                        TestFarm.PATIENCE));
    }

    private FindObjectsReply find(FindObjectsRequest request) {
        FindObjectsReply.Builder reply = FindObjectsReply.newBuilder();
        for (ObjectId asked : request.getObjectsList()) {
            for (ObjectId has : holds) {
                if (has.getInode() == asked.getInode() && has.getStripe() == asked.getStripe()) {
                    reply.addFound(FoundObject.newBuilder().setObject(has).setSize(77));
                }
            }
        }
        return reply.build();
    }

    private void seal(Exchange<SealObjectRequest, SealObjectReply> exchange) {
        SealObjectRequest request = exchange.request();
        if (refusesSeals) {
            exchange.fail(new FarmException(ErrorKind.NOT_READY, "seal", name));
            return;
        }
        ObjectId object = request.getObject();
        holds.remove(object);
        holds.add(object.toBuilder().setGeneration(request.getGeneration()).build());
        exchange.reply(SealObjectReply.newBuilder().setPresent(true).setSize(77).build());
    }

    private void beat() {
        peer.callPlain(
                        MetadataMethods.HEARTBEAT,
                        HeartbeatRequest.newBuilder()
                                .setName(name)
                                .setIncarnation(incarnation)
                                .setCapacity(1L << 40)
                                .setAvailable(1L << 39)
                                .addAllCorrupt(damaged)
                                .build(),
                        TestFarm.PATIENCE)
                .exceptionally(failure -> HeartbeatReply.getDefaultInstance());
    }

    /** As a crash. */
    @Override
    public void close() {
        beat.shutdownNow();
        peer.close();
    }
}
