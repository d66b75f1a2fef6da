package org.gridfarm.client.mount.own;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Every command is told once, in order, or counts as lost; nobody waits for ever. */
class ShippingTest {
    private static final long NOW = 1_000_000_000;

    @TempDir private static Path directory;

    private Path file;
    private Shipping shipping;

    @BeforeEach
    void open() throws IOException {
        file = directory.resolve("log" + System.nanoTime());
        shipping = new Shipping(OwnLog.open(file, 1 << 20), List.of(), false, NOW);
    }

    @AfterEach
    void close() throws IOException {
        shipping.close();
    }

    private static ShippedCommand command(long number) {
        return ShippedCommand.newBuilder().setInode(number).build();
    }

    private void decide(long number) {
        shipping.add(command(number), NOW);
    }

    private Shipping.Begun begin() {
        return Objects.requireNonNull(shipping.begin(ShipRequest.newBuilder(), NOW));
    }

    private Shipping.Begun restoring() {
        return Objects.requireNonNull(shipping.beginRestoring(ShipRequest.newBuilder(), NOW));
    }

    private void took(Shipping.Begun begun, int done) {
        shipping.took(begun, ShipReply.newBuilder().setDone(done).build())
                .forEach(waiter -> waiter.complete(null));
    }

    @Test
    void oneShipmentAtATimeTellsWhatWasDecidedBeforeIt() {
        decide(1);
        decide(2);
        Shipping.Begun first = begin();
        assertThat(first.request().getCommandsList()).containsExactly(command(1), command(2));
        decide(3);
        CompletableFuture<Void> told = shipping.told();
        assertThat(shipping.begin(ShipRequest.newBuilder(), NOW)).isNull();
        took(first, 2);
        assertThat(told).isNotDone();
        Shipping.Begun second = begin();
        assertThat(second.request().getCommandsList()).containsExactly(command(3));
        took(second, 1);
        assertThat(told).isCompleted();
        assertThat(shipping.told()).isNull();
        assertThat(shipping.isNothing()).isTrue();
    }

    /** What says so may be on its way when the leader gives it. */
    @Test
    void nothingNewIsKeptBeforeTheLeaderHasHeardThatNothingIsOwn() {
        assertThat(shipping.keepsGiven()).isTrue();
        shipping.lose();
        Shipping.Begun first = begin();
        assertThat(first.request().getNothingOwn()).isTrue();
        assertThat(shipping.keepsGiven()).isFalse();
        shipping.took(first, ShipReply.newBuilder().setRefusal(5).build());
        assertThat(shipping.keepsGiven()).isFalse();
        took(begin(), 0);
        assertThat(shipping.keepsGiven()).isTrue();
    }

    @Test
    void whatWasRefusedIsToldAgain() {
        decide(1);
        decide(2);
        shipping.giveBack(7);
        Shipping.Begun first = begin();
        assertThat(first.request().getReturnedList()).containsExactly(7L);
        shipping.took(first, ShipReply.newBuilder().setDone(1).setRefusal(5).build());
        Shipping.Begun again = begin();
        assertThat(again.request().getCommandsList()).containsExactly(command(2));
        assertThat(again.request().getReturnedList()).containsExactly(7L);
        took(again, 1);
        assertThat(shipping.isNothing()).isTrue();
    }

    @Test
    void oneTimerIsSetAndNoneWhileAShipmentIsUnderWay() {
        assertThat(shipping.nextIn(NOW)).isNull();
        decide(1);
        assertThat(shipping.nextIn(NOW)).isEqualTo(Shipping.BETWEEN);
        assertThat(shipping.nextIn(NOW)).isNull();
        shipping.timeIsUp();
        Shipping.Begun first = begin();
        decide(2);
        assertThat(shipping.nextIn(NOW)).isNull();
        took(first, 1);
        assertThat(shipping.nextIn(NOW + 1_000_000)).isEqualTo(Duration.ofMillis(9));
    }

    @Test
    void anotherLeaderIsToldOfWhatWasUnderWay() {
        decide(1);
        Shipping.Begun lost = begin();
        CompletableFuture<Void> told = shipping.told();
        shipping.reopened();
        assertThat(shipping.isCurrent(lost)).isFalse();
        assertThat(shipping.begin(ShipRequest.newBuilder(), NOW)).isNull(); // restoring does
        Shipping.Begun again = restoring();
        assertThat(again.request().getCommandsList()).containsExactly(command(1));
        took(again, 1);
        assertThat(told).isCompleted();
        assertThat(shipping.beginRestoring(ShipRequest.newBuilder(), NOW)).isNull();
        shipping.goesOn();
        decide(2);
        assertThat(begin().request().getCommandsList()).containsExactly(command(2));
    }

    @Test
    void whoLooksSeesWhatWaitsAndWhatBecameOfTheRest() {
        assertThat(shipping.oldestNanos(NOW + 5)).isZero();
        decide(1);
        shipping.add(command(2), NOW + 2);
        shipping.add(command(3), NOW + 3);
        assertThat(shipping.waiting()).isEqualTo(3);
        assertThat(shipping.oldestNanos(NOW + 5)).isEqualTo(5);
        took(begin(), 1);
        assertThat(shipping.waiting()).isEqualTo(2);
        assertThat(shipping.oldestNanos(NOW + 5)).isEqualTo(3);
        assertThat(shipping.shipments()).isEqualTo(1);
        assertThat(shipping.shipped()).isEqualTo(1);
        assertThat(shipping.lost()).isZero();
        assertThat(shipping.lose().commands()).containsExactly(command(2), command(3));
        assertThat(shipping.lost()).isEqualTo(2);
        assertThat(shipping.shipped()).isEqualTo(1);
        assertThat(shipping.waiting()).isZero();
    }

    @Test
    void whatAFormerProcessHadIsGivenBackAfterItsFilesAreOpen() throws IOException {
        decide(1);
        shipping.close();
        OwnLog log = OwnLog.open(file, 1 << 20);
        assertThat(log.recover()).hasSize(1);
        shipping = new Shipping(log, List.of(command(1)), true, NOW);
        assertThat(shipping.isStopped()).isTrue();
        CompletableFuture<Void> givenBack = shipping.inherited();
        shipping.reopened();
        Shipping.Begun first = restoring();
        assertThat(first.request().getNothingOwn()).isFalse();
        took(first, 1);
        assertThat(givenBack).isNotDone();
        shipping.goesOn();
        Shipping.Begun then = begin();
        assertThat(then.request().getNothingOwn()).isTrue();
        took(then, 0);
        assertThat(givenBack).isCompleted();
        assertThat(shipping.inherited()).isNull();
    }

    @Test
    void whatIsLostIsNamedAndNobodyGoesOnWaiting() {
        decide(1);
        CompletableFuture<Void> told = shipping.told();
        begin();
        assertThat(shipping.stop()).containsExactly(told);
        assertThat(shipping.isStopped()).isTrue();
        shipping.reopened();
        assertThat(shipping.lose().commands()).containsExactly(command(1));
        shipping.goesOn();
        assertThat(shipping.told()).isNull();
        assertThat(begin().request().getNothingOwn()).isTrue();
    }

    @Test
    void nothingMoreIsDecidedWhenTheLeaderDoesNotKeepUp() {
        decide(1);
        assertThat(shipping.isBehind(NOW)).isFalse();
        assertThat(shipping.isBehind(NOW + Shipping.UNTOLD_MAX.toNanos())).isTrue();
        for (int i = 1; i < Shipping.WAITING_MAX; i++) decide(i);
        assertThat(shipping.isBehind(NOW)).isTrue();
    }
}
