package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ActAsRequest;
import org.gridfarm.protocol.wire.KeyProof;
import org.gridfarm.protocol.wire.LogInRequest;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.TraceContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Bytes of somebody who has not said yet who he is. */
class WireJazzerTest {
    static Stream<byte[]> frames() {
        byte[] message = LogInRequest.newBuilder().setToken("a.b.c").build().toByteArray();
        byte[] request = RawFrame.of(FrameType.REQUEST, 1, 182, message, 0);
        byte[] two = new byte[request.length * 2];
        System.arraycopy(request, 0, two, 0, request.length);
        System.arraycopy(request, 0, two, request.length, request.length);
        return Stream.of(request, two, RawFrame.of(FrameType.PING, 0, 0, new byte[0], 9));
    }

    /** A stream of frames, whole or in two pieces: read, or refused as no such stream. */
    @MethodSource("frames")
    @FuzzTest(maxDuration = "1m")
    void frames(byte[] stream) {
        for (int cut : new int[] {stream.length, stream.length / 2}) {
            FrameReader reader = new FrameReader();
            int[] lengths = {0};
            reader.redirect((type, call, method, deadline, in, messageAt, messageBytes, end) ->
                    lengths[0] += end - messageAt);
            try {
                read(reader, stream, 0, cut);
                read(reader, stream, cut, stream.length);
            } catch (FarmException e) {
                assertThat(e.kind()).isIn(ErrorKind.PROTOCOL, ErrorKind.TOO_BIG);
            } finally {
                reader.close();
            }
            assertThat(lengths[0]).isLessThanOrEqualTo(stream.length);
        }
    }

    private static void read(FrameReader reader, byte[] bytes, int from, int to) {
        ByteBuf in = Unpooled.copiedBuffer(bytes, from, to - from);
        try {
            reader.read(UnpooledByteBufAllocator.DEFAULT, in);
        } finally {
            in.release();
        }
    }

    static Stream<byte[]> requests() {
        return Stream.<MessageLite>of(
                        LogInRequest.newBuilder()
                                .setKey(
                                        KeyProof.newBuilder()
                                                .setId("ann")
                                                .setNonce(ByteString.copyFrom(new byte[32]))
                                                .setProof(ByteString.copyFrom(new byte[32])))
                                .build(),
                        ActAsRequest.newBuilder().setAccount("astro").build(),
                        OpenSessionRequest.newBuilder().setSession(7).setClient("c").build(),
                        TraceContext.newBuilder().setTraceHigh(1).setParent(2).build())
                .map(MessageLite::toByteArray);
    }

    /** What may be asked before a session is open. */
    @MethodSource("requests")
    @FuzzTest(maxDuration = "1m")
    void requests(byte[] message) {
        for (Parser<? extends MessageLite> parser :
                List.<Parser<? extends MessageLite>>of(
                        LogInRequest.parser(),
                        ActAsRequest.parser(),
                        OpenSessionRequest.parser(),
                        TraceContext.parser())) {
            ByteBuf in = Unpooled.wrappedBuffer(message);
            try {
                MessageLite read = Messages.parse(parser, in, 0, message.length);
                assertThat(read.getSerializedSize()).isLessThanOrEqualTo(2 * message.length + 64);
            } catch (IOException e) {
                assertThat(e.getMessage()).isNotEmpty();
            } finally {
                in.release();
            }
        }
    }

    @Test
    void seedsThatWereChanged() {
        Random random = new Random(Tier.seed(20261127L));
        List<byte[]> streams = frames().toList();
        List<byte[]> messages = requests().toList();
        for (int i = 0; i < Tier.count("decoders"); i++) {
            frames(Changed.of(streams.get(random.nextInt(streams.size())), random));
            requests(Changed.of(messages.get(random.nextInt(messages.size())), random));
        }
    }
}
