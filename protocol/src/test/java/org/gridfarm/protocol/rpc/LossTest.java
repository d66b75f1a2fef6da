package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;
import static org.hamcrest.Matchers.equalTo;

import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Welcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections that break, fall silent or never come about. */
class LossTest {
    private static final KeepAlive IMPATIENT =
            new KeepAlive(Duration.ofMillis(100), Duration.ofMillis(400));

    @Test
    void everyUnansweredCallFailsWhenTheServerGoes() {
        Loopback loopback = Loopback.serving(everything());
        Peer peer = loopback.dial();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) calls.add(peer.callPlain(NEVER, text(""), Duration.ZERO));
        get(peer.callPlain(ECHO, text("all sent"), PATIENCE));
        loopback.server.close();
        for (CompletableFuture<?> call : calls)
            assertThat(failure(call).kind()).isEqualTo(ErrorKind.DISCONNECTED);
        assertThat(peer.isOpen()).isFalse();
        assertThat(failure(peer.callPlain(ECHO, text(""), PATIENCE)).kind())
                .isEqualTo(ErrorKind.DISCONNECTED);
        loopback.close();
    }

    @Test
    void whoWaitsForTheEndIsToldOnceUnlessHeTookItBack() {
        Loopback loopback = Loopback.serving(everything());
        Peer peer = loopback.dial();
        AtomicInteger told = new AtomicInteger();
        AtomicInteger tookBack = new AtomicInteger();
        peer.whenClosed(told::incrementAndGet);
        peer.whenClosed(tookBack::incrementAndGet).run();
        peer.close();
        await().untilAtomic(told, equalTo(1));
        Runnable late = peer.whenClosed(told::incrementAndGet);
        assertThat(told).hasValue(2);
        late.run();
        assertThat(told).hasValue(2);
        assertThat(tookBack).hasValue(0);
        loopback.close();
    }

    @Test
    void theServerCancelsWhatAVanishedClientAskedFor() {
        AtomicBoolean cancelled = new AtomicBoolean();
        AtomicInteger open = new AtomicInteger();
        Loops loops = Loops.start("test");
        ConnectionListener listener =
                new ConnectionListener() {
                    @Override
                    public void opened(Peer peer) {
                        open.incrementAndGet();
                    }

                    @Override
                    public void closed(Peer peer) {
                        open.decrementAndGet();
                    }
                };
        Services services =
                Services.builder()
                        .on(NEVER, x -> x.onCancel(() -> cancelled.set(true)))
                        .answer(ECHO, q -> q)
                        .build();
        try (RpcServer server = RpcServer.bind(loops, plain(services).withListener(listener))) {
            RpcClient client =
                    new RpcClient(
                            loops,
                            ChannelSecurity.insecureForTests(ALICE),
                            ExpectedServer.metaserver());
            Peer peer = get(client.dial(server.address()));
            CompletableFuture<?> call = peer.callPlain(NEVER, text(""), PATIENCE);
            get(peer.callPlain(ECHO, text(""), PATIENCE));
            assertThat(open).hasValue(1);
            peer.close();
            assertThat(failure(call).kind()).isEqualTo(ErrorKind.DISCONNECTED);
            await().untilTrue(cancelled);
            await().until(() -> open.get() == 0);
        }
        loops.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 10, 22, 23, 24, 40, 5000})
    void aConnectionCutInTheMiddleOfAFrameFailsTheCall(int bytesBeforeTheCut) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Loops loops = Loops.start("test");
            Thread server =
                    new Thread(() -> {
                        try (Socket socket = listening.accept()) {
                            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                            writeWelcome(out);
                            readFrame(socket.getInputStream());
                            byte[] reply = replyFrame(10_000);
                            out.write(reply, 0, bytesBeforeTheCut);
                            out.flush();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    });
            server.start();
            Peer peer =
                    get(
                            plainClient(loops)
                                    .dial(new HostPort("127.0.0.1", listening.getLocalPort())));
            assertThat(failure(peer.callPlain(ECHO, text("x"), PATIENCE)).kind())
                    .isEqualTo(ErrorKind.DISCONNECTED);
            server.join();
            loops.close();
        }
    }

    @Test
    void aServerThatFallsSilentIsGivenUp() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Loops loops = Loops.start("test");
            CompletableFuture<Integer> heard = new CompletableFuture<>();
            Thread server =
                    new Thread(() -> {
                        try (Socket socket = listening.accept()) {
                            writeWelcome(new DataOutputStream(socket.getOutputStream()));
                            int frames = 0;
                            InputStream in = socket.getInputStream();
                            while (readFrame(in)) frames++;
                            heard.complete(frames);
                        } catch (IOException e) {
                            heard.completeExceptionally(e);
                        }
                    });
            server.start();
            RpcClient client =
                    new RpcClient(
                            loops,
                            ChannelSecurity.insecureForTests(ALICE),
                            ExpectedServer.metaserver(),
                            Services.none(),
                            IMPATIENT,
                            RpcObserver.NONE);
            Peer peer = get(client.dial(new HostPort("127.0.0.1", listening.getLocalPort())));
            FarmException failure = failure(peer.callPlain(ECHO, text("x"), PATIENCE));
            assertThat(failure.kind()).isEqualTo(ErrorKind.DISCONNECTED);
            assertThat(failure.detail()).contains("silent");
            assertThat(get(heard)).as("the call and the pings").isGreaterThanOrEqualTo(3);
            loops.close();
        }
    }

    @Test
    void anIdleConnectionStaysUpByItsPings() {
        try (Loopback loopback = Loopback.serving(Loops.start("test"), everything(), IMPATIENT)) {
            Peer peer =
                    get(
                            loopback.client(Services.none(), IMPATIENT)
                                    .dial(loopback.server.address()));
            await().during(Duration.ofMillis(1500))
                    .atMost(Duration.ofSeconds(3))
                    .until(peer::isOpen);
            assertThat(get(peer.callPlain(ECHO, text("x"), PATIENCE)).getValue()).isEqualTo("x");
        }
    }

    @Test
    void aClientThatDoesNotTakeItsRepliesIsNotHeardFurther() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        byte[] megabyte = new byte[1 << 20];
        Services services =
                Services.builder()
                        .on(
                                BYTES,
                                x -> {
                                    handled.incrementAndGet();
                                    x.reply(x.request(), Unpooled.wrappedBuffer(megabyte));
                                })
                        .build();
        int calls = 300;
        try (Loopback loopback = Loopback.serving(services);
                Socket socket = new Socket("127.0.0.1", loopback.server.address().port())) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> {
                        try {
                            for (int i = 1; i <= calls; i++)
                                socket.getOutputStream()
                                        .write(
                                                RawFrame.of(
                                                        FrameType.REQUEST,
                                                        i,
                                                        2,
                                                        new byte[0],
                                                        100_000));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            await().until(() -> handled.get() >= 16);
            await().during(Duration.ofMillis(500)).until(() -> handled.get() < 80);
            assertThat(sending).as("what is not read backs up to the sender").isNotDone();
            int replies = 0;
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (replies < calls) {
                int length = in.readInt();
                if (in.readNBytes(length)[0] == FrameType.REPLY) replies++;
            }
            assertThat(handled).hasValue(calls);
            get(sending);
        }
    }

    @Test
    void aClosedPortSaysSo() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        Loops loops = Loops.start("test");
        FarmException failure = failure(plainClient(loops).dial(new HostPort("127.0.0.1", port)));
        assertThat(failure.getMessage())
                .isEqualTo(
                        "connect 127.0.0.1:" + port + ": service unavailable (connection refused)");
        loops.close();
    }

    @Test
    void aPortInUseSaysSo() throws Exception {
        Loops loops = Loops.start("test");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            RpcServerConfig config =
                    new RpcServerConfig(
                            new HostPort("127.0.0.1", taken.getLocalPort()),
                            "test server",
                            ChannelSecurity.insecureForTests(ALICE),
                            everything());
            FarmException failure =
                    catchThrowableOfType(
                            FarmException.class, () -> RpcServer.bind(loops, config).close());
            assertThat(failure.detail()).isEqualTo("the port is in use by another program");
        }
        loops.close();
    }

    @Test
    void aServerOfAnotherVersionIsRefusedWithBothVersions() throws Exception {
        FarmException failure = dialScripted(welcome(7, 9));
        assertThat(failure.kind()).isEqualTo(ErrorKind.WRONG_VERSION);
        assertThat(failure.detail()).contains("7 to 9");
    }

    @Test
    void aServerOfAnotherKindIsAProtocolViolation() throws Exception {
        FarmException failure =
                dialScripted("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes("US-ASCII"));
        assertThat(failure.kind()).isEqualTo(ErrorKind.PROTOCOL);
    }

    private static FarmException dialScripted(byte[] firstBytes) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Loops loops = Loops.start("test");
            CompletableFuture<Peer> dialled =
                    plainClient(loops).dial(new HostPort("127.0.0.1", listening.getLocalPort()));
            try (Socket socket = listening.accept()) {
                socket.getOutputStream().write(firstBytes);
                return failure(dialled);
            } finally {
                loops.close();
            }
        }
    }

    private static RpcClient plainClient(Loops loops) {
        return new RpcClient(
                loops, ChannelSecurity.insecureForTests(ALICE), ExpectedServer.metaserver());
    }

    private static void writeWelcome(DataOutputStream out) throws IOException {
        out.write(welcome(RpcLimits.PROTOCOL_MIN, RpcLimits.PROTOCOL_MAX));
        out.flush();
    }

    private static byte[] welcome(int min, int max) {
        return RawFrame.of(
                FrameType.WELCOME,
                0,
                0,
                Welcome.newBuilder().setProtocolMin(min).setProtocolMax(max).build().toByteArray(),
                0);
    }

    private static byte[] replyFrame(int payloadBytes) {
        return RawFrame.of(FrameType.REPLY, 1, 1, text("x").toByteArray(), payloadBytes);
    }

    private static boolean readFrame(InputStream in) throws IOException {
        DataInputStream data = new DataInputStream(in);
        byte[] head = data.readNBytes(4);
        if (head.length < 4) return false;
        int length = ByteBuffer.wrap(head).getInt();
        return data.readNBytes(length).length == length;
    }
}
