package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.GetXattrRequest;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.ListXattrRequest;
import org.gridfarm.protocol.wire.LocateRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.StatFsRequest;
import org.gridfarm.protocol.wire.SumRequest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Every call that names an inode by its number, by name: what a client asks and for which inode.
 */
final class CallsByNumber {
    private CallsByNumber() {}

    static Map<String, BiFunction<TestClient, Long, Runnable>> all() {
        Map<String, BiFunction<TestClient, Long, Runnable>> calls = new LinkedHashMap<>();
        calls.put(
                "stat",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.GET_ATTRIBUTES,
                                GetAttributesRequest.newBuilder().setInode(i).build()));
        calls.put(
                "open",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.OPEN,
                                OpenRequest.newBuilder()
                                        .setInode(i)
                                        .setRead(true)
                                        .setHandle(77)
                                        .build()));
        calls.put(
                "locate",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.LOCATE,
                                LocateRequest.newBuilder().setInode(i).build()));
        calls.put(
                "locate with tickets",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.LOCATE,
                                LocateRequest.newBuilder().setInode(i).setTickets(true).build()));
        calls.put(
                "get xattr",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.GET_XATTR,
                                GetXattrRequest.newBuilder()
                                        .setInode(i)
                                        .setName(TestFarm.name("user.a"))
                                        .build()));
        calls.put(
                "list xattr",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.LIST_XATTR,
                                ListXattrRequest.newBuilder().setInode(i).build()));
        calls.put(
                "statfs",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.STAT_FS,
                                StatFsRequest.newBuilder().setInode(i).build()));
        calls.put(
                "sum",
                (c, i) ->
                        call(c, MetadataMethods.SUM, SumRequest.newBuilder().setInode(i).build()));
        calls.put(
                "replicas",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.LIST_REPLICAS,
                                ListReplicasRequest.newBuilder().setInode(i).build()));
        calls.put(
                "replicate",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.REPLICATE,
                                ReplicateRequest.newBuilder().setInode(i).build()));
        calls.put(
                "lock",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.LOCK,
                                LockRequest.newBuilder()
                                        .setInode(i)
                                        .setKind(LockKind.EXCLUSIVE_LOCK)
                                        .build()));
        calls.put(
                "test lock",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.TEST_LOCK,
                                LockRequest.newBuilder()
                                        .setInode(i)
                                        .setKind(LockKind.EXCLUSIVE_LOCK)
                                        .build()));
        calls.put(
                "reclaim",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.REFRESH,
                                RefreshRequest.newBuilder()
                                        .setInode(i)
                                        .setHandle(78)
                                        .setRead(true)
                                        .setReclaim(true)
                                        .build()));
        calls.put(
                "set times",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.MUTATE,
                                c.command()
                                        .setSetAttributes(
                                                SetAttributes.newBuilder()
                                                        .setInode(i)
                                                        .setMtimeNow(true))
                                        .build()));
        calls.put(
                "link",
                (c, i) ->
                        call(
                                c,
                                MetadataMethods.MUTATE,
                                c.command()
                                        .setLink(
                                                MakeLink.newBuilder()
                                                        .setInode(i)
                                                        .setParent(1)
                                                        .setName(TestFarm.name("stolen")))
                                        .build()));
        return calls;
    }

    static <Q extends MessageLite, R extends MessageLite> Runnable call(
            TestClient client, Method<Q, R> method, Q request) {
        return () -> client.call(method, request);
    }
}
