package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.StringValue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

class CallsTest {
    private Loopback loopback;

    @BeforeEach
    void listen() {
        loopback = Loopback.serving(everything());
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    @Test
    void aCallIsAnsweredAndSaysWhoAnswered() {
        Peer peer = loopback.dial();
        assertThat(get(peer.callPlain(ECHO, text("hello"), PATIENCE)).getValue())
                .isEqualTo("hello");
        assertThat(peer.identity()).isEqualTo(ALICE);
        assertThat(peer.address()).isEqualTo(loopback.server.address().toString());
    }

    @Test
    void bytesOfEverySizeComeBackAsTheyWent() {
        Peer peer = loopback.dial();
        Random random = new Random(1);
        for (int size :
                new int[] {0, 1, 100, 4096, 4097, 70_000, 1 << 20, RpcLimits.PAYLOAD_BYTES_MAX}) {
            byte[] sent = new byte[size];
            random.nextBytes(sent);
            Answer<StringValue> answer =
                    get(peer.call(BYTES, text("n" + size), Unpooled.wrappedBuffer(sent), PATIENCE));
            assertThat(answer.message().getValue()).isEqualTo("n" + size);
            assertThat(take(answer.payload())).isEqualTo(sent);
        }
    }

    @Test
    void theSenderNoLongerHoldsAPayloadOnceItIsSent() {
        Peer peer = loopback.dial();
        ByteBuf small = Unpooled.directBuffer().writeZero(10);
        ByteBuf large = Unpooled.directBuffer().writeZero(100_000);
        get(peer.call(BYTES, text(""), small, PATIENCE)).close();
        get(peer.call(BYTES, text(""), large, PATIENCE)).close();
        assertThat(small.refCnt()).isZero();
        assertThat(large.refCnt()).isZero();
    }

    @Test
    void aMessageAsLargeAsAFrameTravelsInAMessageToo() {
        Peer peer = loopback.dial();
        BytesValue large = BytesValue.of(ByteString.copyFrom(new byte[3 << 20]));
        assertThat(get(peer.callPlain(LARGE, large, PATIENCE))).isEqualTo(large);
    }

    @Test
    void moreThanAFrameHoldsIsRefusedBeforeItIsSent() {
        Peer peer = loopback.dial();
        ByteBuf tooLarge = Unpooled.directBuffer().writeZero(RpcLimits.FRAME_BYTES_MAX);
        FarmException refusal = failure(peer.call(BYTES, text(""), tooLarge, PATIENCE));
        assertThat(refusal.kind()).isEqualTo(ErrorKind.TOO_BIG);
        assertThat(tooLarge.refCnt()).isZero();
        assertThat(get(peer.callPlain(ECHO, text("still here"), PATIENCE)).getValue())
                .isEqualTo("still here");
    }

    @Test
    void aFileIsSentAsAPayload(@TempDir Path folder) throws Exception {
        byte[] content = new byte[3_000_000];
        new Random(2).nextBytes(content);
        Path file = Files.write(folder.resolve("f"), content);
        Answer<StringValue> answer =
                get(loopback.dial().call(FILE, text(file.toString()), null, PATIENCE));
        assertThat(take(answer.payload())).isEqualTo(content);
    }

    @Test
    void aFailureArrivesWithKindOperationSubjectAndDetail() {
        FarmException failure =
                failure(loopback.dial().callPlain(REFUSE, text("NOT_EMPTY"), PATIENCE));
        assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_EMPTY);
        assertThat(failure.operation()).isEqualTo("open");
        assertThat(failure.subject()).isEqualTo("/a/b");
        assertThat(failure.detail()).isEqualTo("because");
    }

    @Test
    void aDefectInAHandlerBecomesInternalAndKeepsItsTextHome() {
        Peer peer = loopback.dial();
        FarmException failure = failure(peer.callPlain(BREAK, text(""), PATIENCE));
        assertThat(failure.kind()).isEqualTo(ErrorKind.INTERNAL);
        assertThat(failure.getMessage()).doesNotContain("a defect");
        assertThat(get(peer.callPlain(ECHO, text("x"), PATIENCE)).getValue()).isEqualTo("x");
    }

    @Test
    void aMethodThatNobodyServesIsUnsupported() {
        FarmException failure = failure(loopback.dial().callPlain(UNSERVED, text(""), PATIENCE));
        assertThat(failure.kind()).isEqualTo(ErrorKind.UNSUPPORTED);
    }

    @Test
    void theServerCallsBackOnTheSameConnection() {
        Services pushes =
                Services.builder().answer(ECHO, q -> text("client says " + q.getValue())).build();
        StringValue answer = get(loopback.dial(pushes).callPlain(CALL_ME, text("hi"), PATIENCE));
        assertThat(answer.getValue()).isEqualTo("client says hi!");
    }

    @Test
    void anUnansweredCallEndsAtItsDeadlineAndTheServerHearsOfIt() {
        AtomicBoolean cancelled = new AtomicBoolean();
        CompletableFuture<Exchange<?, ?>> seen = new CompletableFuture<>();
        Services services =
                Services.builder()
                        .on(
                                NEVER,
                                x -> {
                                    seen.complete(x);
                                    x.onCancel(() -> cancelled.set(true));
                                })
                        .build();
        try (Loopback other = Loopback.serving(services)) {
            long began = System.nanoTime();
            FarmException failure =
                    failure(other.dial().callPlain(NEVER, text(""), Duration.ofMillis(200)));
            assertThat(failure.kind()).isEqualTo(ErrorKind.TIMED_OUT);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofMillis(200), Duration.ofSeconds(5));
            await().untilTrue(cancelled);
            assertThat(get(seen).millisLeft()).isLessThanOrEqualTo(200);
            assertThat(get(seen).isCancelled()).isTrue();
        }
    }

    @Test
    void deadlinesEndInTheirOwnOrderWhateverTheOrderOfTheCalls() {
        Peer peer = loopback.dial();
        ConcurrentLinkedQueue<String> ended = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int millis : new int[] {600, 100, 350}) {
            calls.add(
                    peer.callPlain(NEVER, text(""), Duration.ofMillis(millis))
                            .whenComplete((reply, failure) -> ended.add("" + millis)));
        }
        calls.forEach(call -> assertThat(failure(call).kind()).isEqualTo(ErrorKind.TIMED_OUT));
        assertThat(ended).containsExactly("100", "350", "600");
    }

    @Test
    void cancellingTheFutureCancelsTheExchange() {
        AtomicBoolean cancelled = new AtomicBoolean();
        AtomicBoolean arrived = new AtomicBoolean();
        Services services =
                Services.builder()
                        .on(
                                NEVER,
                                x -> {
                                    x.onCancel(() -> cancelled.set(true));
                                    arrived.set(true);
                                })
                        .build();
        try (Loopback other = Loopback.serving(services)) {
            CompletableFuture<?> call = other.dial().callPlain(NEVER, text(""), PATIENCE);
            await().untilTrue(arrived);
            assertThat(cancelled).isFalse();
            call.cancel(false);
            await().untilTrue(cancelled);
        }
    }

    @Test
    void anAnswerAfterCancellationIsDroppedAndItsPayloadReleased() throws Exception {
        CompletableFuture<Exchange<StringValue, StringValue>> kept = new CompletableFuture<>();
        Services services =
                Services.builder().on(NEVER, kept::complete).answer(ECHO, q -> q).build();
        try (Loopback other = Loopback.serving(services)) {
            Peer peer = other.dial();
            CompletableFuture<?> call = peer.callPlain(NEVER, text(""), PATIENCE);
            get(kept);
            call.cancel(false);
            await().until(() -> get(kept).isCancelled());
            ByteBuf late = Unpooled.directBuffer().writeZero(50_000);
            get(kept).reply(text("late"), late);
            assertThat(get(peer.callPlain(ECHO, text("on"), PATIENCE)).getValue()).isEqualTo("on");
            await().until(() -> late.refCnt() == 0);
        }
    }

    @Test
    void aSecondAnswerIsABugOfTheHandler() {
        CompletableFuture<Exchange<StringValue, StringValue>> kept = new CompletableFuture<>();
        Services services =
                Services.builder()
                        .on(
                                ECHO,
                                x -> {
                                    kept.complete(x);
                                    x.reply(x.request());
                                })
                        .build();
        try (Loopback other = Loopback.serving(services)) {
            get(other.dial().callPlain(ECHO, text("once"), PATIENCE));
            assertThatThrownBy(() -> get(kept).reply(text("twice")))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void requestsOfOneThreadAreHandledInTheOrderTheyWereSent() {
        List<Integer> handled = new ArrayList<>(); // one connection, one event loop
        Services services =
                Services.builder()
                        .on(
                                ECHO,
                                x -> {
                                    handled.add(Integer.parseInt(x.request().getValue()));
                                    x.reply(x.request());
                                })
                        .build();
        try (Loopback other = Loopback.serving(services)) {
            Peer peer = other.dial();
            CompletableFuture<StringValue> last = new CompletableFuture<>();
            int count = 20_000;
            for (int i = 0; i < count; i++) {
                if (i % 100 == 0)
                    last =
                            peer.call(
                                            ECHO,
                                            text("" + i),
                                            Unpooled.directBuffer().writeZero(20_000),
                                            PATIENCE)
                                    .thenApply(Answer::message);
                else last = peer.callPlain(ECHO, text("" + i), PATIENCE);
            }
            get(last);
            assertThat(handled).hasSize(count).isSorted();
        }
    }

    @Test
    void aHundredThousandCallsInFlightAreAllAnswered() {
        // On a busy machine a side may be silent for longer than the default allows meanwhile.
        KeepAlive patient = new KeepAlive(Duration.ofSeconds(10), Duration.ofMinutes(1));
        try (Loopback busy = Loopback.serving(Loops.start("busy"), everything(), patient)) {
            Peer peer = get(busy.client(Services.none(), patient).dial(busy.server.address()));
            List<CompletableFuture<StringValue>> calls = new ArrayList<>();
            for (int i = 0; i < 100_000; i++)
                calls.add(peer.callPlain(ECHO, text("" + i), PATIENCE));
            for (int i = 0; i < calls.size(); i++)
                assertThat(get(calls.get(i)).getValue()).isEqualTo("" + i);
        }
    }

    @Test
    void attachmentsStayWithTheirConnection() {
        AttachmentKey<String> key = AttachmentKey.named("session");
        Peer one = loopback.dial();
        Peer two = loopback.dial();
        assertThat(one.attach(key, "a")).isNull();
        assertThat(one.attach(key, "b")).isEqualTo("a");
        assertThat(one.attachment(key)).isEqualTo("b");
        assertThat(two.attachment(key)).isNull();
    }

    @Test
    void itWorksWithoutEpollToo() {
        try (Loopback portable =
                Loopback.serving(Loops.startPortable("nio", 1), everything(), KeepAlive.DEFAULT)) {
            byte[] bytes = new byte[500_000];
            Answer<StringValue> answer =
                    get(
                            portable.dial()
                                    .call(
                                            BYTES,
                                            text("x"),
                                            Unpooled.wrappedBuffer(bytes),
                                            PATIENCE));
            assertThat(take(answer.payload())).hasSize(500_000);
        }
    }
}
