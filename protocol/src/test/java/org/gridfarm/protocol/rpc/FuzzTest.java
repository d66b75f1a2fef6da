package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.gridfarm.protocol.rpc.Loopback.*;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Whatever bytes arrive, a server neither hangs nor fails for its other clients. */
class FuzzTest {
    private static final Logger CONNECTIONS = (Logger) LoggerFactory.getLogger(Connection.class);
    private static final Logger EXCHANGES = (Logger) LoggerFactory.getLogger(InboundExchange.class);
    private static final long SEED = Tier.seed(20260101L);
    private static final int TIMES = Tier.count("fuzz.times");

    @BeforeAll
    static void hush() { // thousands of violations would be reported
        CONNECTIONS.setLevel(Level.OFF);
        EXCHANGES.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        CONNECTIONS.setLevel(null);
        EXCHANGES.setLevel(null);
    }

    @Test
    void framesAreTheSameHoweverTheStreamIsCut() {
        Random random = new Random(SEED);
        for (int round = 0; round < 300 * TIMES; round++) {
            List<byte[]> sent = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(8); i++) {
                byte[] message = new byte[random.nextInt(200)];
                random.nextBytes(message);
                int payload = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(50);
                sent.add(RawFrame.of(FrameType.REQUEST, i + 1, 7, message, payload));
            }
            int total = sent.stream().mapToInt(f -> f.length).sum();
            ByteBuffer stream = ByteBuffer.allocate(total);
            sent.forEach(stream::put);
            stream.flip();
            List<byte[]> got = new ArrayList<>();
            FrameReader reader = new FrameReader();
            reader.redirect((type, call, method, deadline, in, messageAt, messageBytes, end) -> {
                byte[] frame = new byte[end - messageAt + 23];
                in.getBytes(messageAt - 23, frame);
                got.add(frame);
            });
            while (stream.hasRemaining()) {
                int most = random.nextInt(3) == 0 ? 5 : 70_000;
                byte[] piece = new byte[Math.min(stream.remaining(), 1 + random.nextInt(most))];
                stream.get(piece);
                ByteBuf in = Unpooled.directBuffer(piece.length * (1 + random.nextInt(4)));
                in.writeBytes(piece);
                reader.read(UnpooledByteBufAllocator.DEFAULT, in);
                in.release();
            }
            reader.close();
            assertThat(got.size()).as("seed %d round %d", SEED, round).isEqualTo(sent.size());
            for (int i = 0; i < got.size(); i++) assertThat(got.get(i)).isEqualTo(sent.get(i));
        }
    }

    @Test
    void randomBytesCloseTheirConnectionAndNoOther() throws Exception {
        Random random = new Random(SEED);
        try (Loopback loopback = Loopback.serving(everything())) {
            Peer bystander = loopback.dial();
            for (int round = 0; round < 200 * TIMES; round++) {
                byte[] garbage = new byte[1 + random.nextInt(3000)];
                random.nextBytes(garbage);
                send(loopback, garbage);
                if (round % 20 == 0)
                    assertThat(get(bystander.callPlain(ECHO, text("x"), PATIENCE)).getValue())
                            .isEqualTo("x");
            }
        }
    }

    @Test
    void brokenFieldsOfAnOtherwiseGoodFrameNeverHurtTheServer() throws Exception {
        Random random = new Random(SEED);
        try (Loopback loopback = Loopback.serving(everything())) {
            Peer bystander = loopback.dial();
            for (int round = 0; round < 500 * TIMES; round++) {
                byte[] frame =
                        RawFrame.of(
                                FrameType.REQUEST,
                                1,
                                1 + random.nextInt(9),
                                text("abc").toByteArray(),
                                10);
                for (int flips = 0; flips < 1 + random.nextInt(3); flips++)
                    frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
                send(loopback, frame);
            }
            assertThat(get(bystander.callPlain(ECHO, text("x"), PATIENCE)).getValue())
                    .isEqualTo("x");
        }
    }

    @Test
    void anUnreadableMessageFailsItsCallAlone() throws Exception {
        try (Loopback loopback = Loopback.serving(everything());
                Socket socket = new Socket("127.0.0.1", loopback.server.address().port())) {
            byte[] bad = {(byte) 0xff, (byte) 0xff, (byte) 0xff};
            socket.getOutputStream().write(RawFrame.of(FrameType.REQUEST, 1, 1, bad, 0));
            socket.getOutputStream()
                    .write(RawFrame.of(FrameType.REQUEST, 2, 1, text("good").toByteArray(), 0));
            List<Integer> types = new ArrayList<>();
            InputStream in = socket.getInputStream();
            while (types.size() < 3) {
                int length = ByteBuffer.wrap(in.readNBytes(4)).getInt();
                types.add((int) in.readNBytes(length)[0]);
            }
            assertThat(types)
                    .containsExactly(
                            (int) FrameType.WELCOME,
                            (int) FrameType.FAILURE,
                            (int) FrameType.REPLY);
        }
    }

    @Test
    void aFrameThatClaimsTooMuchIsRefusedBeforeMemoryIsGiven() {
        FrameReader reader = new FrameReader();
        ByteBuf in = Unpooled.buffer().writeInt(Integer.MAX_VALUE);
        FarmException violation =
                catchThrowableOfType(
                        FarmException.class,
                        () -> reader.read(UnpooledByteBufAllocator.DEFAULT, in));
        assertThat(violation.kind()).isEqualTo(ErrorKind.PROTOCOL);
    }

    /**
     * Sends the bytes on a connection of their own, stops talking and reads until the server
     * closes, which it must.
     */
    private static void send(Loopback loopback, byte[] bytes) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", loopback.server.address().port())) {
            socket.setSoTimeout(5_000);
            try {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                while (socket.getInputStream().read() >= 0) {
                    // what it answers does not matter
                }
            } catch (SocketException e) {
                // reset: it closed while bytes of ours were still on their way
                assertThat(e).hasMessageNotContaining("timed out");
            }
        }
    }
}
