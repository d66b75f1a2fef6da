package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;

import com.google.protobuf.StringValue;

import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

class LeaderLineTest {
    private static final Method<StringValue, StringValue> ONCE =
            new Method<>(
                    20,
                    "once",
                    StringValue.parser(),
                    StringValue.parser(),
                    Retry.ONCE,
                    Access.CLIENTS);

    private final Loops loops = Loops.start("test");
    private final List<RpcServer> servers = new ArrayList<>();
    private volatile String leader = "";
    private volatile String hint = "";
    private final AtomicInteger executed = new AtomicInteger();
    private volatile boolean hangUp;

    @AfterEach
    void close() {
        servers.forEach(RpcServer::close);
        loops.close();
    }

    @Test
    void aHintIsFollowedEvenOutOfTheList() {
        HostPort standby = server("a");
        HostPort leading = server("b");
        leader = "b";
        hint = leading.toString();
        try (LeaderLine line = line(List.of(standby), Opening.NONE)) {
            assertThat(get(line.callPlain(ECHO, text("x"), PATIENCE)).getValue()).isEqualTo("b:x");
            assertThat(line.leader()).isEqualTo(leading);
        }
    }

    @Test
    void withoutAHintAllServersAreAskedInTurn() {
        List<HostPort> all = List.of(server("a"), server("b"), server("c"));
        leader = "c";
        try (LeaderLine line = line(all, Opening.NONE)) {
            assertThat(get(line.callPlain(ECHO, text("x"), PATIENCE)).getValue()).isEqualTo("c:x");
        }
    }

    @Test
    void aServerThatIsDownIsPassedOver() {
        HostPort down = server("a");
        servers.remove(0).close();
        leader = "b";
        try (LeaderLine line = line(List.of(down, server("b")), Opening.NONE)) {
            assertThat(get(line.callPlain(ONCE, text("x"), PATIENCE)).getValue()).isEqualTo("b:x");
        }
    }

    @Test
    void callsWaitForTheNextLeader() {
        List<HostPort> all = List.of(server("a"), server("b"));
        leader = "";
        try (LeaderLine line = line(all, Opening.NONE)) {
            CompletableFuture<StringValue> call = line.callPlain(ECHO, text("x"), PATIENCE);
            await().during(Duration.ofMillis(200)).until(() -> !call.isDone());
            leader = "b";
            assertThat(get(call).getValue()).isEqualTo("b:x");
        }
    }

    @Test
    void withoutALeaderTheCallFailsAtItsDeadlineAndSaysWhy() {
        try (LeaderLine line = line(List.of(server("a")), Opening.NONE)) {
            long began = System.nanoTime();
            FarmException failure =
                    failure(line.callPlain(ECHO, text("x"), Duration.ofMillis(400)));
            assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_LEADER);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofMillis(400), Duration.ofSeconds(3));
        }
    }

    @Test
    void anIdempotentCallIsSentAgainAfterItsConnectionWasLost() {
        leader = "a";
        hangUp = true;
        try (LeaderLine line = line(List.of(server("a")), Opening.NONE)) {
            assertThat(get(line.callPlain(ECHO, text("x"), PATIENCE)).getValue()).isEqualTo("a:x");
            assertThat(executed).hasValue(2);
        }
    }

    @Test
    void aCallThatMustNotRepeatFailsInstead() {
        leader = "a";
        hangUp = true;
        try (LeaderLine line = line(List.of(server("a")), Opening.NONE)) {
            assertThat(failure(line.callPlain(ONCE, text("x"), PATIENCE)).kind())
                    .isEqualTo(ErrorKind.DISCONNECTED);
            assertThat(executed).hasValue(1);
        }
    }

    @Test
    void aPayloadSurvivesTheWayToTheLeader() {
        HostPort standby = server("a");
        hint = server("b").toString();
        leader = "b";
        var bytes = Unpooled.directBuffer().writeBytes(new byte[100_000]);
        try (LeaderLine line = line(List.of(standby), Opening.NONE)) {
            Answer<StringValue> answer = get(line.call(BYTES, text("x"), bytes, PATIENCE));
            assertThat(take(answer.payload())).hasSize(100_000);
            await().until(() -> bytes.refCnt() == 0);
        }
    }

    @Test
    void otherFailuresAreTheCallersAtOnce() {
        leader = "a";
        try (LeaderLine line = line(List.of(server("a")), Opening.NONE)) {
            assertThat(failure(line.callPlain(REFUSE, text("DATA_UNAVAILABLE"), PATIENCE)).kind())
                    .isEqualTo(ErrorKind.DATA_UNAVAILABLE);
        }
    }

    @Test
    void whoKeepsUpIsAtTheNewLeaderSoonAfterTheOldOneWent() {
        HostPort a = server("a");
        HostPort b = server("b");
        leader = "a";
        Opening register = peer -> peer.callPlain(ECHO, text("register"), PATIENCE);
        try (LeaderLine line = line(List.of(a, b), register)) {
            line.keepUp();
            await().until(() -> line.line(a).isUp());
            leader = "b";
            servers.get(0).close();
            await().until(() -> line.line(b).isUp());
        }
    }

    private LeaderLine line(List<HostPort> addresses, Opening opening) {
        RpcClient client =
                new RpcClient(
                        loops,
                        ChannelSecurity.insecureForTests(ALICE),
                        ExpectedServer.metaserver());
        return new LeaderLine(client, addresses, opening, Clock.system(), Entropy.system());
    }

    private HostPort server(String name) {
        Services services =
                Services.builder()
                        .on(ECHO, x -> answer(name, x))
                        .on(ONCE, x -> answer(name, x))
                        .on(
                                REFUSE,
                                x ->
                                        x.fail(
                                                new FarmException(
                                                        ErrorKind.valueOf(x.request().getValue()),
                                                        "",
                                                        "")))
                        .on(
                                BYTES,
                                x -> {
                                    if (leads(name, x)) x.reply(x.request(), x.payload().retain());
                                })
                        .build();
        RpcServer server = RpcServer.bind(loops, plain(services));
        servers.add(server);
        return server.address();
    }

    private boolean leads(String name, Exchange<?, ?> exchange) {
        if (name.equals(leader)) return true;
        exchange.fail(new FarmException(ErrorKind.NOT_LEADER, exchange.method().name(), "", hint));
        return false;
    }

    private void answer(String name, Exchange<StringValue, StringValue> exchange) {
        if (!leads(name, exchange)) return;
        executed.incrementAndGet();
        if (hangUp) {
            hangUp = false;
            exchange.peer().close();
            return;
        }
        exchange.reply(text(name + ":" + exchange.request().getValue()));
    }
}
