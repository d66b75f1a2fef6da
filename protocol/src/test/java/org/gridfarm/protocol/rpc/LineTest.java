package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

class LineTest {
    private static final HostPort ADDRESS = new HostPort("nowhere.example", 7);

    @Test
    void attemptsComeFurtherAndFurtherApartUpToTheBound() {
        SimClock clock = new SimClock();
        List<Long> dialledAt = new ArrayList<>();
        Dialer dead =
                address -> {
                    dialledAt.add(clock.nanoTime() / 1_000_000);
                    return CompletableFuture.failedFuture(
                            new FarmException(
                                    ErrorKind.UNAVAILABLE, "connect", address.toString()));
                };
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(1000));
        Line line = new Line(dead, ADDRESS, Opening.NONE, backoff, clock, Entropy.seeded(1));
        line.keepUp();
        clock.advance(Duration.ofSeconds(20));
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < dialledAt.size(); i++)
            gaps.add(dialledAt.get(i) - dialledAt.get(i - 1));
        assertThat(gaps.get(0)).isBetween(50L, 100L);
        assertThat(gaps.get(2)).isBetween(200L, 400L);
        assertThat(gaps.subList(5, gaps.size()))
                .allSatisfy(gap -> assertThat(gap).isBetween(499L, 1000L));
        assertThat(gaps.subList(5, gaps.size()).stream().distinct().count()).isGreaterThan(5);
        line.close();
        int dials = dialledAt.size();
        clock.advance(Duration.ofSeconds(20));
        assertThat(dialledAt).hasSize(dials);
    }

    @Test
    void betweenAttemptsCallsFailAtOnceWithTheLastReason() {
        SimClock clock = new SimClock();
        AtomicInteger dials = new AtomicInteger();
        Dialer dead =
                address -> {
                    dials.incrementAndGet();
                    return CompletableFuture.failedFuture(
                            new FarmException(
                                    ErrorKind.UNAVAILABLE,
                                    "connect",
                                    address.toString(),
                                    "no route"));
                };
        Line line =
                new Line(dead, ADDRESS, Opening.NONE, Backoff.PATIENT, clock, Entropy.seeded(1));
        for (int i = 0; i < 10; i++) {
            FarmException failure = failure(line.callPlain(ECHO, text(""), PATIENCE));
            assertThat(failure.detail()).isEqualTo("no route");
        }
        assertThat(dials).hasValue(1);
        clock.advance(Duration.ofSeconds(1));
        failure(line.callPlain(ECHO, text(""), PATIENCE));
        assertThat(dials).hasValue(2);
    }

    @Test
    void waitingForAConnectionCountsAgainstTheDeadline() {
        SimClock clock = new SimClock();
        Dialer slow = address -> new CompletableFuture<>();
        Line line =
                new Line(slow, ADDRESS, Opening.NONE, Backoff.PATIENT, clock, Entropy.seeded(1));
        CompletableFuture<?> call = line.callPlain(ECHO, text(""), Duration.ofSeconds(3));
        clock.advance(Duration.ofMillis(2999));
        assertThat(call).isNotDone();
        clock.advance(Duration.ofMillis(1));
        assertThat(failure(call).kind()).isEqualTo(ErrorKind.TIMED_OUT);
    }

    @Test
    void callsMadeWhileConnectingShareOneConnectionThatWasOpenedFirst() {
        try (Loopback loopback = Loopback.serving(everything())) {
            AtomicInteger openings = new AtomicInteger();
            Opening opening =
                    peer -> {
                        openings.incrementAndGet();
                        return peer.callPlain(ECHO, text("session"), PATIENCE);
                    };
            Line line = line(loopback, opening);
            List<CompletableFuture<?>> calls = new ArrayList<>();
            for (int i = 0; i < 100; i++) calls.add(line.callPlain(ECHO, text("" + i), PATIENCE));
            calls.forEach(Loopback::get);
            assertThat(openings).hasValue(1);
            line.close();
        }
    }

    @Test
    void aConnectionWhoseOpeningFailedIsNotUsed() {
        try (Loopback loopback = Loopback.serving(everything())) {
            List<Peer> opened = new ArrayList<>();
            Opening refused =
                    peer -> {
                        opened.add(peer);
                        return peer.callPlain(REFUSE, text("ACCESS_DENIED"), PATIENCE);
                    };
            Line line = line(loopback, refused);
            assertThat(failure(line.callPlain(ECHO, text(""), PATIENCE)).kind())
                    .isEqualTo(ErrorKind.ACCESS_DENIED);
            await().until(() -> !opened.get(0).isOpen());
            line.close();
        }
    }

    @Test
    void aKeptUpLineConnectsAgainWhenItsServerReturns() {
        Loops loops = Loops.start("test");
        RpcServer first = RpcServer.bind(loops, plain(everything()));
        RpcClient client =
                new RpcClient(
                        loops,
                        ChannelSecurity.insecureForTests(ALICE),
                        ExpectedServer.metaserver());
        AtomicInteger openings = new AtomicInteger();
        Opening counting =
                peer -> {
                    openings.incrementAndGet();
                    return CompletableFuture.completedFuture(null);
                };
        Line line =
                new Line(
                        client,
                        first.address(),
                        counting,
                        Backoff.EAGER,
                        Clock.system(),
                        Entropy.system());
        line.keepUp();
        await().until(line::isUp);
        first.close();
        await().until(() -> !line.isUp());
        RpcServerConfig again = plain(everything());
        try (RpcServer second =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                first.address(),
                                again.serverName(),
                                again.security(),
                                again.services()))) {
            await().until(line::isUp);
            assertThat(openings).hasValue(2);
            assertThat(get(line.callPlain(ECHO, text("back"), PATIENCE)).getValue())
                    .isEqualTo("back");
            assertThat(second.address()).isEqualTo(first.address());
        }
        line.close();
        loops.close();
    }

    private static Line line(Loopback loopback, Opening opening) {
        return new Line(
                loopback.client(Services.none(), KeepAlive.DEFAULT),
                loopback.server.address(),
                opening,
                Backoff.EAGER,
                Clock.system(),
                Entropy.system());
    }
}
