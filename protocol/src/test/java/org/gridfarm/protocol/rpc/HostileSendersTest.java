package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.protocol.rpc.Loopback.*;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.wire.Failure;
import org.junit.jupiter.api.Test;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Who sends, or connects, so that a server would have no memory or no room for anybody else. */
class HostileSendersTest {
    private static final int FRAME = RpcLimits.FRAME_BYTES_MAX + 4;

    private static Identity user(String name) {
        return new Identity("/CN=" + name, Role.USER, List.of(name), Optional.empty(), false);
    }

    /** The head of a request with a frame of that many bytes in all, and a few bytes of it. */
    private static byte[] begun(int method, int frameBytes) {
        return ByteBuffer.allocate(100)
                .putInt(frameBytes - 4)
                .put((byte) FrameType.REQUEST)
                .putLong(1)
                .putShort((short) method)
                .putInt(0)
                .putInt(0)
                .array();
    }

    private static Socket sender(Loopback loopback, byte[] bytes) throws IOException {
        Socket socket = new Socket("127.0.0.1", loopback.server.address().port());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readFully(new byte[in.readInt()]); // the welcome
        socket.getOutputStream().write(bytes);
        return socket;
    }

    private static Failure failure(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        assertThat(frame[0]).isEqualTo(FrameType.FAILURE);
        Failure said = Failure.parseFrom(ByteBuffer.wrap(frame, 19, frame.length - 19));
        assertThat(in.read()).isEqualTo(-1);
        return said;
    }

    @Test
    void aMethodWithoutBulkTakesNoLargeFrame() throws Exception {
        try (Loopback loopback = Loopback.serving(everything())) {
            for (int method : List.of(ECHO.number(), UNSERVED.number())) {
                int frame = RpcLimits.MESSAGE_BYTES_MAX + 5;
                try (Socket socket = sender(loopback, begun(method, frame))) {
                    Failure said = failure(socket);
                    assertThat(said.getKind()).isEqualTo(ErrorKind.TOO_BIG.number());
                    assertThat(said.getDetail()).contains("at most 1048576 are taken");
                }
            }
            // An honest client does not even send it.
            String large = "x".repeat(RpcLimits.MESSAGE_BYTES_MAX);
            Peer peer = loopback.dial();
            assertThat(Loopback.failure(peer.callPlain(ECHO, text(large), PATIENCE)).kind())
                    .isEqualTo(ErrorKind.TOO_BIG);
            assertThat(get(peer.callPlain(ECHO, text("small"), PATIENCE))).isEqualTo(text("small"));
        }
    }

    @Test
    void unfinishedFramesTakeTheirSendersShareAndWhatWaitsGoesOnAfterThem() throws Exception {
        try (Loopback loopback = Loopback.serving(everything())) {
            List<Socket> holders = new ArrayList<>();
            FrameRoom room = loopback.loops.room();
            List<Runnable> mine = new ArrayList<>();
            Runnable ready = () -> {};
            while (room.take(ALICE.dn(), FRAME, ready)) mine.add(ready); // as if over others
            assertThat(room.cancel(ready)).isTrue();
            int held = mine.size();
            assertThat(held).isGreaterThanOrEqualTo(2);
            room.give(ALICE.dn(), FRAME);
            holders.add(sender(loopback, begun(BYTES.number(), FRAME)));
            await().until(() -> {
                boolean taken = !room.take(ALICE.dn(), FRAME, ready);
                if (taken) return room.cancel(ready);
                room.give(ALICE.dn(), FRAME);
                return false;
            });
            // Nobody else is held up, not even by a whole frame.
            assertThat(room.take("/CN=Bob", FRAME, ready)).isTrue();
            room.give("/CN=Bob", FRAME);
            Peer peer = loopback.dial();
            assertThat(get(peer.callPlain(ECHO, text("small"), PATIENCE))).isEqualTo(text("small"));
            byte[] bytes = new byte[8 << 20];
            for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31 >> 3);
            CompletableFuture<byte[]> back =
                    peer.call(BYTES, text("large"), Unpooled.wrappedBuffer(bytes), PATIENCE)
                            .thenApply(answer -> take(answer.payload()));
            CompletableFuture<?> behind = peer.callPlain(ECHO, text("behind"), PATIENCE);
            await().until(() -> !room.isEmpty() && room.waiting() == 1);
            assertThat(back).isNotDone();
            assertThat(behind).isNotDone();
            for (Socket holder : holders) holder.close();
            assertThat(get(back)).isEqualTo(bytes);
            assertThat(get(behind)).isEqualTo(text("behind"));
            for (int i = 1; i < held; i++) room.give(ALICE.dn(), FRAME);
            await().until(room::isEmpty);
        }
    }

    @Test
    void whoWaitsForRoomAndGoesLeavesNothingBehind() throws Exception {
        try (Loopback loopback = Loopback.serving(everything())) {
            FrameRoom room = loopback.loops.room();
            Runnable ready = () -> {};
            int held = 0;
            while (room.take(ALICE.dn(), FRAME, ready)) held++;
            assertThat(room.cancel(ready)).isTrue();
            try (Socket socket = sender(loopback, begun(BYTES.number(), FRAME))) {
                await().until(() -> room.waiting() == 1);
                assertThat(socket.isConnected()).isTrue();
            }
            await().until(() -> room.waiting() == 0);
            for (int i = 0; i < held; i++) room.give(ALICE.dn(), FRAME);
            assertThat(room.isEmpty()).isTrue();
        }
    }

    @Test
    void whatNobodyHasRoomForIsKeptUpToABoundAndInOrderAfterwards() {
        FrameRoom room = new FrameRoom(0);
        int each = 2 * FRAME;
        room.stall("a", each);
        assertThatThrownBy(() -> room.stall("a", 1))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("too many requests arrive at once");
        room.stall("b", each);
        assertThatThrownBy(() -> room.stall("c", 1)).isInstanceOf(FarmException.class);
        room.unstall("a", each);
        room.unstall("b", each);
        List<String> turns = new ArrayList<>();
        assertThat(room.take("a", each, () -> turns.add("never"))).isTrue();
        assertThat(room.take("a", 10, () -> turns.add("a"))).isFalse();
        assertThat(room.take("b", 10, () -> turns.add("never"))).isTrue();
        assertThat(room.take("a", 11, () -> turns.add("a again"))).isFalse();
        room.give("b", 10);
        assertThat(turns).isEmpty();
        room.give("a", each);
        assertThat(turns).containsExactly("a", "a again");
        room.give("a", 10);
        room.give("a", 11);
        assertThat(room.isEmpty()).isTrue();
    }

    /** What is not answered stays in memory, whatever was sent along with it. */
    @Test
    void whatIsAskedAndNotAnsweredTakesItsSendersShareAndIsRefusedBeforeItIsRead() {
        try (Loopback loopback = Loopback.serving(everything())) {
            RequestRoom room = loopback.loops.requests();
            Peer peer = loopback.dial();
            String large = "x".repeat(RpcLimits.MESSAGE_BYTES_MAX - 100);
            List<CompletableFuture<?>> asked = new ArrayList<>();
            Optional<FarmException> refused = Optional.empty();
            for (long sent = 0; refused.isEmpty() && sent <= room.each(); sent += large.length()) {
                CompletableFuture<?> next = peer.callPlain(NEVER, text(large), PATIENCE);
                asked.add(next);
                // The server has looked at it when it has answered what came behind it.
                assertThat(Loopback.failure(peer.callPlain(REFUSE, text("STALE"), PATIENCE)))
                        .isNotNull();
                if (next.isDone()) refused = Optional.of(Loopback.failure(next));
            }
            assertThat(refused.orElseThrow().kind()).isEqualTo(ErrorKind.OVERLOADED);
            assertThat(refused.get()).hasMessageContaining("asked for and not answered yet");
            long other = room.each() / 4;
            assertThat(room.take("/CN=Bob", other)).as("there is room for others").isTrue();
            room.give("/CN=Bob", other);
            assertThat(get(peer.callPlain(ECHO, text("small"), PATIENCE))).isEqualTo(text("small"));
            peer.close();
            await().atMost(PATIENCE).until(room::isEmpty);
        }
    }

    /** Each makes as many keys as he likes. */
    @Test
    void allGuestsAreOne() {
        RequestRoom room = new RequestRoom(10 << 10);
        EventLoop loop = new DefaultEventLoop();
        try {
            ByteBuf small = Unpooled.wrappedBuffer(new byte[0]);
            for (int key = 0; key < 10; key++) {
                Identity guest = Identity.guest(key);
                new Underway(room, () -> guest, loop).take(ECHO, small, 0, 0);
            }
            assertThatThrownBy(() ->
                            new Underway(room, () -> Identity.guest(11), loop)
                                    .take(ECHO, small, 0, 0))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.OVERLOADED));
            new Underway(room, () -> user("ann"), loop).take(ECHO, small, 0, 0);
        } finally {
            loop.shutdownGracefully();
        }
        FrameRoom frames = new FrameRoom(0);
        List<AcceptedGate> gates = new ArrayList<>();
        for (int key = 0; key < 3; key++) {
            Identity guest = Identity.guest(key);
            gates.add(new AcceptedGate(everything(), () -> guest, frames, () -> {}, () -> {}));
        }
        assertThat(gates.get(0).begin(FRAME)).isTrue();
        assertThat(gates.get(1).begin(FRAME)).isTrue();
        assertThat(gates.get(2).begin(FRAME)).isFalse();
        assertThat(frames.take("/CN=Ann", FRAME, () -> {})).isTrue();
    }

    @Test
    void aFrameThatDoesNotEndIsLate() {
        FrameReader reader = new FrameReader();
        long now = System.nanoTime();
        ByteBuf bytes = Unpooled.wrappedBuffer(begun(BYTES.number(), FRAME));
        reader.read(UnpooledByteBufAllocator.DEFAULT, bytes);
        assertThat(reader.isLate(now)).isFalse();
        assertThat(reader.isLate(now + RpcLimits.FRAME_MAX.plusSeconds(5).toNanos())).isTrue();
        reader.close();
        assertThat(reader.isLate(now + Duration.ofHours(1).toNanos())).isFalse();
    }

    @Test
    void oneIdentityDoesNotTakeAllConnectionsAndHearsWhyItGetsNoMore() {
        Loops loops = Loops.start("test");
        Admissions admissions = new Admissions(10, 4);
        try (RpcServer server = RpcServer.bind(loops, plain(everything()), admissions)) {
            RpcClient client =
                    new RpcClient(
                            loops,
                            ChannelSecurity.insecureForTests(ALICE),
                            ExpectedServer.metaserver());
            Peer one = get(client.dial(server.address()));
            Peer two = get(client.dial(server.address()));
            FarmException full = Loopback.failure(client.dial(server.address()));
            assertThat(full.kind()).isEqualTo(ErrorKind.OVERLOADED);
            assertThat(full).hasMessageContaining("2 connections of alice are open already");
            one.close();
            await().until(() -> {
                try {
                    get(client.dial(server.address())).close();
                    return true;
                } catch (FarmException e) {
                    return false;
                }
            });
            two.close();
        }
        await().until(admissions::isEmpty);
        loops.close();
    }

    @Test
    void allConnectionsTogetherAreBoundedButForTheFarmsOwnDaemons() {
        Admissions admissions = new Admissions(4, 4);
        for (String name : List.of("a", "b", "c", "d"))
            assertThat(admissions.enters(user(name))).isNull();
        assertThat(admissions.enters(user("e")))
                .hasMessageContaining("4 connections are open already");
        Identity node =
                new Identity(
                        "/CN=n1", Role.NODE, List.of(), Optional.of(new NodeName("n1")), false);
        assertThat(admissions.enters(node)).isNull();
        assertThat(admissions.enters(node)).isNull();
        assertThat(admissions.enters(node)).isNotNull();
        admissions.leaves(user("a"));
        assertThat(admissions.enters(user("e"))).isNull();
    }

    @Test
    void whoDoesNotSayWhoHeIsHoldsUpNobodyFromElsewhere() {
        Admissions admissions = new Admissions(4, 100);
        assertThat(admissions.begins("here")).isTrue();
        assertThat(admissions.begins("here")).isTrue();
        assertThat(admissions.begins("here")).isFalse();
        assertThat(admissions.begins("there")).isTrue();
        assertThat(admissions.begins("there")).isTrue();
        assertThat(admissions.begins("elsewhere")).isFalse();
        admissions.over("here");
        assertThat(admissions.begins("elsewhere")).isTrue();
        for (String host : List.of("here", "there", "there", "elsewhere")) admissions.over(host);
        assertThat(admissions.isEmpty()).isTrue();
    }
}
