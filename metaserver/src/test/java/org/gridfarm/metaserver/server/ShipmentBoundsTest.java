package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CloseRequest;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/**
 * A session has decided more than a leader that lets its clients have little would have allowed it.
 * The programs have been answered, and what would make room comes behind: all of it is taken.
 */
@SuppressWarnings("NullAway.Init") // set before each test
class ShipmentBoundsTest {
    private static final int UNSETTLED = 5;
    private static final int OPEN = 3;
    private static final int MANY = 20;

    @TempDir Path directory;
    private TestFarm farm;
    private Holder holder;
    private TestClient client;
    private long own;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
    }

    private void startWith(ClientLimits limits) {
        farm.limits = limits;
        MetaServerDaemon leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        holder = new Holder(farm, leader, 7);
        client = holder.client;
        own = holder.makesOwn(1, "own");
    }

    @AfterEach
    void stop() {
        farm.close();
    }

    private static void assertRefused(ErrorKind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(e -> assertThat(FarmException.of(e, "", "").kind()).isEqualTo(kind));
    }

    /** None of its commands tells of an answer that has come, as of a mount just replaced. */
    @Test
    void whatIsDecidedIsTakenThoughTooMuchIsUnsettled() {
        startWith(new ClientLimits(90, 9, 99, 99, 9, 9, 999, UNSETTLED, 99));
        for (int i = 0; i < MANY; i++) holder.creates(own, "f" + i);
        ShipRequest shipment = holder.shipment(holder.unshipped);
        ShipReply reply = client.call(MetadataMethods.SHIP, shipment);
        assertThat(reply.getReason()).isEmpty();
        assertThat(reply.getDone()).isEqualTo(MANY);
        assertThat(client.call(MetadataMethods.SHIP, shipment)).as("again").isEqualTo(reply);

        assertRefused(ErrorKind.OVERLOADED, () -> client.mkdir(1, "d1"));
        assertAskedBack();
        MutateRequest.Builder telling = client.command().setMkdir(TestClient.directory(1, "d2"));
        client.call(MetadataMethods.MUTATE, telling.setSettled(telling.getSequence() - 1).build());
        client.mkdir(1, "d3");
        assertThat(client.lookup(own, "f" + (MANY - 1)).getFound()).isTrue();
    }

    /** Each of its closes waits until the leader knows what is closed. */
    @Test
    void whatIsDecidedIsTakenThoughTooMuchIsOpen() {
        startWith(new ClientLimits(90, 9, OPEN, 99, 9, 9, 999, 99, 99));
        for (int i = 1; i <= MANY; i++) holder.does(client.creatingOpen(own, "f" + i, i));
        ShipReply reply = client.call(MetadataMethods.SHIP, holder.shipment(holder.unshipped));
        assertThat(reply.getReason()).isEmpty();
        assertThat(reply.getDone()).isEqualTo(MANY);
        assertThat(reply.getOpenedCount()).isEqualTo(MANY);

        assertRefused(
                ErrorKind.TOO_MANY_OPEN,
                () -> client.call(MetadataMethods.MUTATE, client.creatingOpen(1, "g", 99)));
        assertAskedBack();
        CloseRequest.Builder most = CloseRequest.newBuilder();
        for (long handle = OPEN; handle <= MANY; handle++) most.addHandles(handle);
        client.call(MetadataMethods.CLOSE, most.build());
        client.call(MetadataMethods.MUTATE, client.creatingOpen(1, "g", 99));
    }

    /** So that it decides nothing more that there is no room for. */
    private void assertAskedBack() {
        TestFarm.await(
                "asked back",
                () ->
                        client.recalls.stream()
                                .flatMap(recall -> recall.getDataList().stream())
                                .filter(DataRecall::getDelegation)
                                .anyMatch(data -> data.getInode() == own));
        TestFarm.await("given back", () -> !holder.isOwn(own));
    }
}
