package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.protocol.rpc.Loopback.*;

import com.google.protobuf.StringValue;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.trace.Trace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The server answers for which trace it was asked, as the exchange and as its thread have it. */
class TracesTest {
    private final Trace trace = Trace.begin(Entropy.seeded(1));
    private Loopback loopback;

    @BeforeEach
    void listen() {
        loopback =
                Loopback.serving(
                        Services.builder()
                                .on(ECHO, x -> x.reply(text(x.trace() + " " + Trace.current())))
                                .build());
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private CompletableFuture<StringValue> asked(Peer peer) {
        return peer.callPlain(ECHO, text(""), PATIENCE);
    }

    @Test
    void eachRequestIsMadeForTheTraceOfItsCaller() {
        Peer peer = loopback.dial();
        List<CompletableFuture<StringValue>> with = new ArrayList<>();
        List<CompletableFuture<StringValue>> without = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            try (Trace.Scope entered = Trace.enter(trace)) {
                with.add(asked(peer));
            }
            without.add(asked(peer));
        }
        assertThat(with).allMatch(answer -> get(answer).getValue().equals(trace + " " + trace));
        assertThat(without).allMatch(answer -> get(answer).getValue().equals("null null"));
    }

    @Test
    void aCallThatHasToWaitForItsConnectionIsToo() {
        Line line =
                new Line(
                        loopback.client(Services.none(), KeepAlive.DEFAULT),
                        loopback.server.address(),
                        Opening.NONE,
                        Backoff.EAGER,
                        Clock.system(),
                        Entropy.seeded(2));
        CompletableFuture<StringValue> answer;
        try (Trace.Scope entered = Trace.enter(trace)) {
            answer = line.callPlain(ECHO, text(""), PATIENCE);
        }
        assertThat(get(answer).getValue()).isEqualTo(trace + " " + trace);
        line.close();
    }
}
