package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.metaserver.postgres.TestDatabase;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.ReadDirectoryRequest;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.ResolveRequest;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One leader on a real PostgreSQL and ZooKeeper, over TLS. */
class LeaderTest extends FarmOfOneLeader {
    @Test
    void whatOneClientMakesAnotherSees() {
        TestClient one = new TestClient(farm, leader, 11);
        TestClient two = new TestClient(farm, leader, 12);
        assertThat(one.opened.getUser()).isEqualTo("alice");
        long dir = one.mkdir(1, "d").getAttributes().getInode();
        long file = one.create(dir, "f").getAttributes().getInode();
        LookupReply found = two.lookup(dir, "f");
        assertThat(found.getFound()).isTrue();
        assertThat(found.getAttributes().getInode()).isEqualTo(file);
        ResolveReply walked =
                two.call(
                        MetadataMethods.RESOLVE,
                        ResolveRequest.newBuilder().setPath(TestFarm.name("/d/f")).build());
        assertThat(walked.getAttributes().getInode()).isEqualTo(file);
        one.rename(dir, "f", 1, "g");
        assertThat(two.lookup(dir, "f").getFound()).isFalse();
        ReadDirectoryReply listed =
                two.call(
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder()
                                .setInode(1)
                                .setWithAttributes(true)
                                .build());
        assertThat(listed.getEntriesList())
                .extracting(e -> e.getName().toStringUtf8())
                .containsExactly("d", "g");
        two.unlink(1, "g");
        assertThat(one.lookup(1, "g").getFound()).isFalse();
    }

    @Test
    void refusalsCarryTheirKind() {
        TestClient client = new TestClient(farm, leader, 11);
        client.mkdir(1, "d");
        assertThatThrownBy(() -> client.mkdir(1, "d"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("already exists");
        assertThatThrownBy(() -> client.unlink(1, "nothing"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("not found");
    }

    @Test
    void aRepeatedCommandGetsItsFirstAnswer() {
        TestClient client = new TestClient(farm, leader, 11);
        MutateRequest request = client.creating(1, "once");
        MutateReply first = client.call(MetadataMethods.MUTATE, request);
        MutateReply second = client.call(MetadataMethods.MUTATE, request);
        assertThat(second).isEqualTo(first);
    }

    /** It was delayed on its way while another attempt was answered, and the next command came. */
    @Test
    void aCommandThatItsClientHasTheAnswerOfIsNotDoneAgain() {
        TestClient client = new TestClient(farm, leader, 11);
        client.mkdir(1, "d");
        MutateRequest moved = client.renaming(1, "d", 1, "e");
        client.call(MetadataMethods.MUTATE, moved);
        MutateRequest.Builder next = client.command();
        next.setSettled(next.getSequence() - 1).setMkdir(TestClient.directory(1, "d"));
        client.call(MetadataMethods.MUTATE, next.build());
        assertThatThrownBy(() -> client.call(MetadataMethods.MUTATE, moved))
                .hasMessageContaining("was answered");
        assertThat(client.lookup(1, "d").getFound()).isTrue();
    }

    @Test
    void aConnectionThatItsSessionHasLeftIsNotListenedTo() {
        TestClient before = new TestClient(farm, leader, 11);
        TestClient now = new TestClient(farm, leader, 11);
        assertThatThrownBy(() -> before.mkdir(1, "late"))
                .extracting(thrown -> FarmException.of(thrown, "", "").kind())
                .isEqualTo(ErrorKind.DISCONNECTED);
        assertThat(now.lookup(1, "late").getFound()).isFalse();
    }

    @Test
    void aRestartedServerHasEverythingAndRemembersItsAnswers() throws SQLException {
        TestClient client = new TestClient(farm, leader, 11);
        long dir = client.mkdir(1, "d").getAttributes().getInode();
        MutateRequest request = client.creating(dir, "kept");
        MutateReply made = client.call(MetadataMethods.MUTATE, request);
        for (int i = 0; i < 50; i++) client.create(dir, "f" + i);
        farm.stop(leader);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        TestClient again = new TestClient(farm, leader, 11);
        assertThat(again.lookup(dir, "kept").getAttributes().getInode())
                .isEqualTo(made.getAttributes().getInode());
        assertThat(again.call(MetadataMethods.MUTATE, request)).isEqualTo(made);
        TestClient other = new TestClient(farm, leader, 13);
        long next = other.create(dir, "later").getAttributes().getInode();
        assertThat(next).isGreaterThan(made.getAttributes().getInode() + 49);
    }

    /** What it was answered before is known no more then: its commands must not be repeated. */
    @Test
    void aSessionThatComesBackToTheNextLeaderAfterTheGracePeriodIsTooLate() {
        new TestClient(farm, leader, 11);
        farm.stop(leader);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        TestClient inTime = TestClient.comingBack(farm, leader, 12);
        assertThat(inTime.opened.getTooLate()).isFalse();
        AtomicLong another = new AtomicLong(100);
        TestFarm.await(
                "the grace period is over",
                () -> {
                    inTime.renew();
                    return TestClient.comingBack(farm, leader, another.incrementAndGet())
                            .opened
                            .getTooLate();
                });
        assertThat(TestClient.comingBack(farm, leader, 12).opened.getTooLate()).isFalse();
        assertThat(TestClient.comingBack(farm, leader, 11).opened.getTooLate()).isTrue();
        assertThat(TestClient.comingBack(farm, leader, 11).opened.getTooLate())
                .as("asked again")
                .isTrue();
        assertThat(new TestClient(farm, leader, 13).opened.getTooLate()).isFalse();
    }

    @Test
    void afterABarrierTheTablesHoldWhatWasAcknowledged() throws SQLException {
        TestClient client = new TestClient(farm, leader, 11);
        long dir = client.mkdir(1, "d").getAttributes().getInode();
        client.create(dir, "a");
        client.create(dir, "b");
        client.unlink(dir, "a");
        client.call(MetadataMethods.ADMIN, AdminRequest.newBuilder().setCommand("barrier").build());
        try (Connection connection = TestDatabase.connect(farm.database);
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT string_agg(gridfarm.path(ino), ',') FROM gridfarm.dirent WHERE parent = "
                                        + dir)) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("/d/b");
        }
    }

    @Test
    void aChangeWaitsUntilThoseWhoHoldItHaveDroppedIt() throws Exception {
        TestClient holder = new TestClient(farm, leader, 11);
        TestClient writer = new TestClient(farm, leader, 12);
        TestFarm.await("lease", () -> holder.lookup(1, "x").getEntryCacheable());
        CompletableFuture<Void> release = new CompletableFuture<>();
        holder.holdRecalls(release);
        CompletableFuture<MutateReply> creating =
                writer.start(MetadataMethods.MUTATE, writer.creating(1, "x"));
        TestFarm.await("recall", () -> !holder.recalls.isEmpty());
        assertThat(holder.recalls.getFirst().getDirectories(0).getInode()).isEqualTo(1);
        assertThat(creating.isDone()).isFalse();
        release.complete(null);
        assertThat(creating.get(5, TimeUnit.SECONDS).getAttributes().getInode()).isPositive();
    }

    @Test
    void aSilentHolderIsEvictedAfterItsLeaseAndToldSo() {
        TestClient holder = new TestClient(farm, leader, 11);
        TestClient writer = new TestClient(farm, leader, 12);
        TestFarm.await("lease", () -> holder.lookup(1, "x").getEntryCacheable());
        holder.holdRecalls(new CompletableFuture<>());
        long began = System.nanoTime();
        writer.create(1, "x");
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
        assertThat(seconds).isLessThan(8);
        assertThat(holder.renew().getEvicted()).isTrue();
        assertThatThrownBy(() -> holder.create(1, "y"))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("session ended");
    }
}
