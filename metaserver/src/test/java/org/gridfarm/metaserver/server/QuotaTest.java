package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Quotas at a leader: names, bytes while they are written, and a new leader. */
@SuppressWarnings("NullAway.Init") // set before each test
class QuotaTest {
    private static final Credentials BOB =
            Credentials.newBuilder().setUid(1000).setGid(1000).build();
    private static final long MIB = 1 << 20;

    @TempDir Path directory;
    private TestFarm farm;
    private MetaServerDaemon leader;
    private FakeNode node;
    private TestClient client;
    private TestClient administrator;
    private long bobs;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        node = new FakeNode(farm, leader, "n1");
        client = TestClient.as("mount", farm, leader, 1);
        administrator = new TestClient(farm, leader, 2);
        bobs = makeDirectory().getAttributes().getInode();
    }

    @AfterEach
    void stop() {
        node.close();
        farm.close();
    }

    private MutateReply makeDirectory() {
        return client.call(
                MetadataMethods.MUTATE,
                client.command()
                        .setMkdir(
                                MakeDirectory.newBuilder()
                                        .setParent(1)
                                        .setName(TestFarm.name("bob"))
                                        .setMode(0777))
                        .build());
    }

    private String admin(String command, Map<String, String> arguments) {
        return administrator
                .call(
                        MetadataMethods.ADMIN,
                        AdminRequest.newBuilder()
                                .setCommand(command)
                                .putAllArguments(arguments)
                                .build())
                .getJson();
    }

    private MutateReply create(String name, long handle) {
        CreateFile.Builder create =
                CreateFile.newBuilder()
                        .setParent(bobs)
                        .setName(TestFarm.name(name))
                        .setMode(0644)
                        .setExclusive(true);
        if (handle != 0) {
            create.setOpen(OpenRequest.newBuilder().setWrite(true).setHandle(handle));
        }
        MutateRequest.Builder command = client.command().setCredentials(BOB).setCreate(create);
        return client.call(MetadataMethods.MUTATE, command.build());
    }

    private OpenReply refresh(MutateReply file, long handle, long wanted) {
        return client.call(
                MetadataMethods.REFRESH,
                RefreshRequest.newBuilder()
                        .setInode(file.getAttributes().getInode())
                        .setHandle(handle)
                        .setWrite(true)
                        .setCredentials(BOB)
                        .setWantedSize(wanted)
                        .build());
    }

    private void commit(MutateReply file, long handle, long size) {
        client.call(
                MetadataMethods.MUTATE,
                client.command()
                        .setCredentials(BOB)
                        .setCommit(
                                CommitContent.newBuilder()
                                        .setInode(file.getAttributes().getInode())
                                        .setHandle(handle)
                                        .setGeneration(1)
                                        .setSize(size)
                                        .setClose(true)
                                        .addObjects(
                                                ObjectCommit.newBuilder()
                                                        .addAllHolders(List.of("n1"))))
                        .build());
    }

    private static void isRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.QUOTA_EXCEEDED));
    }

    @Test
    void aNameTooManyIsRefusedUntilAnotherGoes() {
        admin("quota-set", Map.of("kind", "user", "name", "1000", "inodes-hard", "2"));
        create("a", 0);
        create("b", 0);
        isRefused(() -> create("c", 0));
        client.unlink(bobs, "a");
        create("c", 0);
        assertThat(admin("quota-show", Map.of("kind", "user", "name", "1000")))
                .contains("\"inodes\":{\"used\":2,\"soft\":0,\"hard\":2}");
    }

    @Test
    void anotherLeaderKnowsLimitsAndUsage() {
        admin("quota-set", Map.of("kind", "directory", "name", "/bob", "inodes-hard", "2"));
        create("a", 0);
        node.close();
        farm.stop(leader);
        leader = farm.start("ms2", true);
        TestFarm.awaitRole(leader, "leader");
        node = new FakeNode(farm, leader, "n1");
        client = TestClient.as("mount", farm, leader, 3);
        administrator = new TestClient(farm, leader, 4);
        isRefused(() -> create("b", 0)); // the directory itself counts
        assertThat(admin("quota-check", Map.of())).contains("\"wrong\":[]");
    }

    @Test
    void aWriterLearnsHowFarItMayGo() {
        admin("quota-set", Map.of("kind", "user", "name", "1000", "bytes-hard", "" + 10 * MIB));
        MutateReply first = create("first", 11);
        assertThat(first.getOpened().getSizeLimit()).isEqualTo(MIB);
        assertThat(refresh(first, 11, 10 * MIB).getSizeLimit()).isEqualTo(10 * MIB);
        isRefused(() -> refresh(first, 11, 10 * MIB + 1));

        MutateReply second = create("second", 12); // what is promised to the first is its own
        assertThat(second.getOpened().getSizeLimit()).isZero();
        isRefused(() -> refresh(second, 12, 1));

        commit(first, 11, 4 * MIB);
        assertThat(refresh(second, 12, 6 * MIB).getSizeLimit()).isEqualTo(6 * MIB);
        isRefused(() -> refresh(second, 12, 6 * MIB + 1));
    }

    @Test
    void withoutALimitNobodyAsks() {
        assertThat(create("free", 13).getOpened().hasSizeLimit()).isFalse();
    }

    @Test
    void aLimitSetWhileSomebodyWritesIsHeardOfByTheWriter() {
        MutateReply file = create("open", 14);
        admin("quota-set", Map.of("kind", "user", "name", "1000", "bytes-hard", "" + 2 * MIB));
        assertThat(client.recalls)
                .anySatisfy(recall ->
                        assertThat(recall.getDataList())
                                .anyMatch(data ->
                                        data.getLayout()
                                                && data.getInode()
                                                        == file.getAttributes().getInode()));
        assertThat(refresh(file, 14, 0).getSizeLimit()).isEqualTo(MIB);
    }
}
