package org.gridfarm.scheduler.worker;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.ListNodesReply;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.SpreadRequest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The farm by way of the client library. Thread-safe. */
public final class ClientFarm implements Farm {
    private final Gridfarm farm;
    private final Metadata metadata;

    public ClientFarm(Gridfarm farm) {
        this.farm = farm;
        this.metadata = farm.metadata();
    }

    @Override
    public CompletableFuture<List<NodeInfo>> nodes() {
        return farm.callLeaderAsync(
                        MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .thenApply(ListNodesReply::getNodesList);
    }

    @Override
    public CompletableFuture<Holdings> holdings(Credentials who, List<ByteString> paths) {
        List<CompletableFuture<Holdings>> each = new ArrayList<>();
        for (ByteString path : paths) {
            each.add(holdings(who, path));
        }
        return CompletableFuture.allOf(each.toArray(new CompletableFuture<?>[0]))
                .thenApply(_ -> {
                    Map<String, Long> bytesByNode = new HashMap<>();
                    long total = 0;
                    for (CompletableFuture<Holdings> one : each) {
                        Holdings holdings = one.join();
                        holdings.bytesByNode()
                                .forEach(
                                        (node, bytes) -> bytesByNode.merge(node, bytes, Long::sum));
                        total += holdings.totalBytes();
                    }
                    return new Holdings(bytesByNode, total);
                });
    }

    private CompletableFuture<Holdings> holdings(Credentials who, ByteString path) {
        return metadata.resolve(who, metadata.root(), path, true)
                .thenCompose(found ->
                        isFile(found)
                                ? metadata.locate(who, found.getAttributes().getInode(), false)
                                        .thenApply(ClientFarm::weigh)
                                : CompletableFuture.completedFuture(new Holdings(Map.of(), 0)))
                .exceptionallyCompose(failure -> {
                    FarmException reason =
                            FarmException.of(failure, "locate", NameText.of(path.toByteArray()));
                    return reason.kind().retry() == Retry.NEVER
                                    && reason.kind() != ErrorKind.SESSION_ENDED
                            ? CompletableFuture.completedFuture(new Holdings(Map.of(), 0))
                            : CompletableFuture.failedFuture(reason);
                });
    }

    @Override
    public CompletableFuture<Void> spread(
            Credentials who, ByteString path, String node, Duration keep) {
        return metadata.resolve(who, metadata.root(), path, true)
                .thenCompose(found ->
                        farm.callLeaderAsync(
                                MetadataMethods.SPREAD,
                                SpreadRequest.newBuilder()
                                        .setSession(metadata.session())
                                        .setCredentials(who)
                                        .setInode(found.getAttributes().getInode())
                                        .setNode(node)
                                        .setKeepMillis(keep.toMillis())
                                        .build()))
                .thenAccept(_ -> {});
    }

    @Override
    public CompletableFuture<List<LocalInput>> locals(
            Credentials who, List<ByteString> paths, String node) {
        List<CompletableFuture<LocalInput>> each = new ArrayList<>();
        for (ByteString path : paths) {
            LocalInput plain = LocalInput.newBuilder().setPath(path).build();
            each.add(
                    metadata.resolve(who, metadata.root(), path, true)
                            .thenCompose(found ->
                                    isFile(found)
                                            ? metadata.locate(
                                                            who,
                                                            found.getAttributes().getInode(),
                                                            true)
                                                    .thenApply(located ->
                                                            ticketed(plain, located, node))
                                            : CompletableFuture.completedFuture(plain))
                            // Whatever is in the way, the task itself meets it and says so.
                            .exceptionally(_ -> plain));
        }
        return CompletableFuture.allOf(each.toArray(new CompletableFuture<?>[0]))
                .thenApply(_ -> each.stream().map(CompletableFuture::join).toList());
    }

    private static LocalInput ticketed(LocalInput plain, LocateReply located, String node) {
        List<ObjectLocation> objects = located.getLayout().getObjectsList();
        if (located.getAttributes().getWriting() || objects.size() != 1) {
            return plain;
        }
        return objects.getFirst().getReplicasList().stream()
                .filter(replica ->
                        replica.getNode().equals(node)
                                && replica.getState() == ReplicaState.VALID
                                && !replica.getTicket().isEmpty())
                .findFirst()
                .map(replica ->
                        plain.toBuilder()
                                .setObject(objects.getFirst().getObject())
                                .setTicket(replica.getTicket())
                                .build())
                .orElse(plain);
    }

    private static boolean isFile(ResolveReply found) {
        return found.getFound() && found.getAttributes().getType() == FileType.REGULAR;
    }

    private static Holdings weigh(LocateReply located) {
        long size = located.getAttributes().getSize();
        List<ObjectLocation> objects = located.getLayout().getObjectsList();
        Map<String, Long> bytes = new HashMap<>();
        long share = objects.isEmpty() ? 0 : size / objects.size();
        for (ObjectLocation object : objects) {
            for (Replica replica : object.getReplicasList()) {
                if (replica.getLive()
                        && (replica.getState() == ReplicaState.VALID
                                || replica.getState() == ReplicaState.WRITING)) {
                    bytes.merge(replica.getNode(), objects.size() == 1 ? size : share, Long::sum);
                }
            }
        }
        return new Holdings(bytes, objects.size() == 1 ? size : share * objects.size());
    }
}
