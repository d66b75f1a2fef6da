package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.protocol.rpc.Loopback.*;

import com.google.protobuf.StringValue;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A connection as {@link CallsTest} has it, whose bytes the test carries, in virtual time. */
class SimConnectionTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final SimClock clock = new SimClock();
    private final SimConnection server = end(everything(), true);
    private final SimConnection client =
            end(Services.builder().answer(ECHO, request -> request).build(), false);

    private SimConnection end(Services services, boolean accepted) {
        return new SimConnection(clock, services, accepted, ALICE, "there:1", RpcObserver.NONE);
    }

    /** Until nothing is under way. */
    private void carry() {
        while (carried(client, server) | carried(server, client)) {}
    }

    private static boolean carried(SimConnection from, SimConnection to) {
        byte[] bytes = from.written();
        if (bytes != null) to.receive(bytes);
        return bytes != null;
    }

    @Test
    void aCallIsAnsweredWhenItsBytesWereCarried() {
        CompletableFuture<StringValue> call = client.peer().callPlain(ECHO, text("hello"), SHORT);
        assertThat(call).isNotDone();
        carry();
        assertThat(call).isCompletedWithValue(text("hello"));
    }

    @Test
    void bothEndsMayCall() {
        CompletableFuture<StringValue> call =
                client.peer().callPlain(CALL_ME, text("hello"), SHORT);
        carry();
        assertThat(call).isCompletedWithValue(text("hello!"));
    }

    @Test
    void callsArriveInTheirOrder() {
        List<String> order = new ArrayList<>();
        for (String name : List.of("one", "two", "three")) {
            client.peer()
                    .callPlain(ECHO, text(name), SHORT)
                    .thenAccept(reply -> order.add(reply.getValue()));
        }
        carry();
        assertThat(order).containsExactly("one", "two", "three");
    }

    @Test
    void aDeadlinePassesInVirtualTime() {
        CompletableFuture<?> call = client.peer().callPlain(NEVER, text("hello"), SHORT);
        carry();
        clock.advance(SHORT.minusMillis(1));
        carry();
        assertThat(call).isNotDone();
        clock.advance(Duration.ofMillis(2));
        carry();
        assertThat(failure(call).kind()).isEqualTo(ErrorKind.TIMED_OUT);
    }

    @Test
    void refusalsComeAsTheyAre() {
        CompletableFuture<?> call = client.peer().callPlain(REFUSE, text("NOT_FOUND"), SHORT);
        carry();
        assertThat(failure(call).kind()).isEqualTo(ErrorKind.NOT_FOUND);
        CompletableFuture<?> other = client.peer().callPlain(UNSERVED, text(""), SHORT);
        carry();
        assertThat(failure(other).kind()).isEqualTo(ErrorKind.UNSUPPORTED);
    }

    @Test
    void whatIsUnansweredFailsWhenTheOtherEndIsGone() {
        CompletableFuture<?> call = client.peer().callPlain(NEVER, text("hello"), SHORT);
        carry();
        List<String> told = new ArrayList<>();
        client.peer().whenClosed(() -> told.add("closed"));
        client.end();
        assertThat(failure(call).kind()).isEqualTo(ErrorKind.DISCONNECTED);
        assertThat(told).containsExactly("closed");
        assertThat(client.isOpen()).isFalse();
    }

    /** Each end hears pings of the other, however long nobody calls. */
    @Test
    void itLivesWhileItsBytesAreCarriedAndDiesOfSilence() {
        Duration step = RpcLimits.PING_AFTER.dividedBy(4);
        for (Duration past = Duration.ZERO;
                past.compareTo(RpcLimits.SILENCE_MAX.multipliedBy(3)) < 0;
                past = past.plus(step)) {
            clock.advance(step);
            carry();
        }
        assertThat(client.isOpen()).isTrue();
        for (Duration past = Duration.ZERO;
                past.compareTo(RpcLimits.SILENCE_MAX.multipliedBy(2)) < 0;
                past = past.plus(step)) {
            clock.advance(step);
            client.written();
        }
        assertThat(client.isOpen()).isFalse();
        assertThat(server.isOpen()).isTrue();
    }
}
