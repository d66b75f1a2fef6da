package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.CloseSessionRequest;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.SetXattr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A leader that lets its clients have little, on a real PostgreSQL and ZooKeeper, over TLS. */
@SuppressWarnings("NullAway.Init") // set before each test
class BoundsTest {
    @TempDir Path directory;
    private TestFarm farm;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
    }

    @AfterEach
    void stop() {
        farm.close();
    }

    private MetaServerDaemon leader(ClientLimits limits) {
        farm.limits = limits;
        MetaServerDaemon leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        return leader;
    }

    private static void assertRefused(ErrorKind kind, String why, ThrowingCallable call) {
        assertThatThrownBy(call)
                .hasMessageContaining(why)
                .satisfies(e -> assertThat(FarmException.of(e, "", "").kind()).isEqualTo(kind));
    }

    @Test
    void whoHasHisShareIsToldSoAndGetsMoreWhenHeGivesSomeBack() {
        MetaServerDaemon leader = leader(new ClientLimits(90, 3, 4, 6, 2, 4, 1000, 8, 100));
        TestClient one = new TestClient(farm, leader, 11);
        TestClient two = new TestClient(farm, leader, 12);
        TestClient three = new TestClient(farm, leader, 13);

        assertRefused(ErrorKind.OVERLOADED, "3", () -> new TestClient(farm, leader, 14));
        new TestClient(farm, leader, 13); // another connection of one that is there
        two.call(
                MetadataMethods.CLOSE_SESSION,
                CloseSessionRequest.newBuilder().setSession(12).build());
        TestClient four = new TestClient(farm, leader, 14);

        for (int i = 1; i <= 4; i++) {
            one.call(MetadataMethods.MUTATE, one.creatingOpen(1, "f" + i, i));
        }
        assertRefused(
                ErrorKind.TOO_MANY_OPEN,
                "4",
                () -> one.call(MetadataMethods.MUTATE, one.creatingOpen(1, "f5", 5)));
        assertThat(one.lookup(1, "f5").getFound()).as("nor is it made").isFalse();
        for (int i = 6; i <= 7; i++) {
            four.call(MetadataMethods.MUTATE, four.creatingOpen(1, "f" + i, i));
        }
        assertRefused(
                ErrorKind.TOO_MANY_OPEN,
                "6 are all that the sessions of one user",
                () -> four.call(MetadataMethods.MUTATE, four.creatingOpen(1, "f8", 8)));
        one.call(MetadataMethods.CLOSE, CloseRequest.newBuilder().addHandles(1).build());
        four.call(MetadataMethods.MUTATE, four.creatingOpen(1, "f8", 8));

        // One has had four answers: those of what was refused are not kept.
        for (int i = 1; i <= 4; i++) one.mkdir(1, "d" + i);
        assertRefused(ErrorKind.OVERLOADED, "tell which answers", () -> one.mkdir(1, "d5"));
        MutateRequest.Builder telling = one.command().setMkdir(TestClient.directory(1, "d6"));
        one.call(MetadataMethods.MUTATE, telling.setSettled(telling.getSequence() - 1).build());
        one.mkdir(1, "d7");

        long inode = one.lookup(1, "f1").getAttributes().getInode();
        one.call(MetadataMethods.LOCK, lock(inode, LockKind.EXCLUSIVE_LOCK, 0, 9));
        one.call(MetadataMethods.LOCK, lock(inode, LockKind.EXCLUSIVE_LOCK, 20, 29));
        assertRefused(
                ErrorKind.NO_LOCKS,
                "2",
                () -> one.call(MetadataMethods.LOCK, lock(inode, LockKind.EXCLUSIVE_LOCK, 40, 49)));
        one.call(MetadataMethods.LOCK, lock(inode, LockKind.UNLOCK, 0, 9));
        one.call(MetadataMethods.LOCK, lock(inode, LockKind.EXCLUSIVE_LOCK, 40, 49));
        assertThat(three.session).isEqualTo(13);
    }

    private static LockRequest lock(long inode, LockKind kind, long start, long end) {
        return LockRequest.newBuilder()
                .setInode(inode)
                .setOwner(1)
                .setKind(kind)
                .setStart(start)
                .setEnd(end)
                .build();
    }

    /**
     * Of its heap one percent is in use as soon as it runs, and that is what it calls full here.
     */
    @Test
    void aFullMetaserverTakesNothingNewAndGivesUpWhatIsDeletedAlsoAfterARestart() {
        ClientLimits usual = farm.limits;
        MetaServerDaemon before = leader(usual);
        TestClient maker = new TestClient(farm, before, 11);
        long file = maker.create(1, "f").getAttributes().getInode();
        maker.create(1, "g");
        farm.stop(before);

        MetaServerDaemon full = leader(new ClientLimits(1, 9, 9, 9, 9, 9, 9, 99, 99));
        TestClient client = new TestClient(farm, full, 12);
        TestFarm.await("full", () -> status(client).contains("the heap is full"));
        assertRefused(ErrorKind.NO_SPACE, "GF_HEAP", () -> client.mkdir(1, "d"));
        assertRefused(
                ErrorKind.NO_SPACE,
                "GF_HEAP",
                () ->
                        client.call(
                                MetadataMethods.MUTATE,
                                client.command()
                                        .setSetXattr(
                                                SetXattr.newBuilder()
                                                        .setInode(file)
                                                        .setName(TestFarm.name("user.a"))
                                                        .setValue(ByteString.copyFromUtf8("x")))
                                        .build()));
        client.rename(1, "f", 1, "h");
        client.unlink(1, "g");
        assertThat(client.lookup(1, "h").getFound()).isTrue();
        assertThat(client.lookup(1, "g").getFound()).isFalse();
    }

    private static String status(TestClient client) {
        return client
                .call(MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance())
                .getServersList()
                .stream()
                .map(server -> server.getProblem())
                .reduce("", String::concat);
    }
}
