package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.GetAttributesReply;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.LocateRequest;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.SetPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** One leader with three nodes that only obey, and what tests of open files ask of it. */
@SuppressWarnings("NullAway.Init") // set before each test
abstract class FarmOfThreeNodes {
    @TempDir Path directory;
    TestFarm farm;
    MetaServerDaemon leader;
    FakeNode n1;
    FakeNode n2;
    FakeNode n3;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
        lead();
    }

    private void lead() {
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        n1 = new FakeNode(farm, leader, "n1");
        n2 = new FakeNode(farm, leader, "n2");
        n3 = new FakeNode(farm, leader, "n3");
    }

    /** Sessions and nodes are to come back to it. */
    void nextLeader() {
        farm.stop(leader);
        for (FakeNode node : List.of(n1, n2, n3)) node.close();
        lead();
    }

    @AfterEach
    void stop() {
        for (FakeNode node : List.of(n1, n2, n3)) node.close();
        farm.close();
    }

    static void set(TestClient client, SetPolicy.Builder policy) {
        client.call(MetadataMethods.MUTATE, client.command().setSetPolicy(policy.build()).build());
    }

    MutateReply createAndOpen(TestClient client, String name, long handle) {
        return client.call(MetadataMethods.MUTATE, creatingAndOpening(client, name, handle));
    }

    MutateRequest creatingAndOpening(TestClient client, String name, long handle) {
        return client.command()
                .setCreate(
                        CreateFile.newBuilder()
                                .setParent(1)
                                .setName(TestFarm.name(name))
                                .setMode(0644)
                                .setOpen(OpenRequest.newBuilder().setWrite(true).setHandle(handle)))
                .build();
    }

    MutateReply commit(
            TestClient client, long inode, long handle, boolean close, List<String> holders) {
        return commit(client, inode, handle, close, holders, 0);
    }

    /**
     * @param seen version of the inode that the client knew
     */
    MutateReply commit(
            TestClient client,
            long inode,
            long handle,
            boolean close,
            List<String> holders,
            long seen) {
        return client.call(
                MetadataMethods.MUTATE,
                client.command()
                        .setCommit(
                                CommitContent.newBuilder()
                                        .setInode(inode)
                                        .setHandle(handle)
                                        .setGeneration(1)
                                        .setSize(100)
                                        .setSeen(seen)
                                        .setClose(close)
                                        .addObjects(
                                                ObjectCommit.newBuilder().addAllHolders(holders)))
                        .build());
    }

    OpenReply open(TestClient client, long inode, long handle, boolean write) {
        return client.call(
                MetadataMethods.OPEN,
                OpenRequest.newBuilder()
                        .setInode(inode)
                        .setHandle(handle)
                        .setRead(!write)
                        .setWrite(write)
                        .build());
    }

    Attributes attributes(TestClient client, long inode) {
        GetAttributesReply reply =
                client.call(
                        MetadataMethods.GET_ATTRIBUTES,
                        GetAttributesRequest.newBuilder().setInode(inode).build());
        return reply.getAttributes();
    }

    List<Replica> replicas(TestClient client, long inode) {
        LocateReply reply =
                client.call(
                        MetadataMethods.LOCATE, LocateRequest.newBuilder().setInode(inode).build());
        return reply.getLayout().getObjectsCount() == 0
                ? List.of()
                : reply.getLayout().getObjects(0).getReplicasList();
    }

    /** Closed; n1 has one. */
    long fileOfTwoCopies(TestClient client) {
        long inode = createAndOpen(client, "f", 500).getAttributes().getInode();
        commit(client, inode, 500, true, List.of("n1"));
        set(client, SetPolicy.newBuilder().setInode(inode).setReplicas(2));
        TestFarm.await(
                "second copy",
                () -> {
                    client.renew();
                    return replicas(client, inode).size() == 2;
                });
        return inode;
    }

    /** As a writer is told. */
    List<Replica> chain(TestClient client, long inode, long handle) {
        return refresh(client, inode, handle).getLayout().getObjects(0).getReplicasList();
    }

    OpenReply refresh(TestClient client, long inode, long handle) {
        client.renew();
        return client.call(
                MetadataMethods.REFRESH,
                RefreshRequest.newBuilder()
                        .setHandle(handle)
                        .setInode(inode)
                        .setWrite(true)
                        .build());
    }

    void awaitSealed(TestClient client, long inode) {
        TestFarm.await(
                "sealed",
                () -> {
                    client.renew();
                    return attributes(client, inode).getGeneration() > 1;
                });
    }

    void closeUnsettled(TestClient client, long handle) {
        client.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addUnsettled(handle).build());
    }

    FakeNode node(String name) {
        return List.of(n1, n2, n3).stream()
                .filter(node -> node.name.equals(name))
                .findFirst()
                .orElseThrow();
    }
}
