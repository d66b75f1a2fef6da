package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What is refused before it is read, and what is not. */
class MessageWeightTest {
    private static final Method<SubmitJobRequest, Empty> SUBMIT =
            new Method<>(
                            1,
                            "submit",
                            SubmitJobRequest.parser(),
                            Empty.parser(),
                            Retry.IDEMPOTENT,
                            Access.of(Role.USER))
                    .withBulk();

    /** Of the smallest daemons. */
    private static final int ROOM_BYTES = 46 << 20;

    private static final int TASKS = SubmitJobRequest.TASKS_FIELD_NUMBER << 3 | 2;

    private final RequestRoom room = new RequestRoom(ROOM_BYTES);
    private final EventLoop loop = new DefaultEventLoop();
    private final Identity alice =
            new Identity("/CN=A", Role.USER, List.of("alice"), Optional.empty(), false);
    private final Underway underway = new Underway(room, () -> alice, loop);

    @AfterEach
    void end() {
        loop.shutdownGracefully();
    }

    private Underway.Hold take(ByteBuf in) {
        return underway.take(SUBMIT, in, 0, in.readableBytes());
    }

    private void assertRefused(ByteBuf in) {
        assertThatThrownBy(() -> take(in))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.TOO_BIG));
        assertThat(room.isEmpty()).isTrue();
    }

    private static long weight(MessageLite message) {
        ByteBuf in = Unpooled.wrappedBuffer(message.toByteArray());
        return MessageWeight.of(
                message.getParserForType(), in, 0, in.readableBytes(), Long.MAX_VALUE / 2);
    }

    /** Two bytes each, and no content. */
    private static byte[] emptyParts(int bytes) {
        byte[] parts = new byte[bytes];
        for (int i = 0; i < bytes; i += 2) parts[i] = TASKS;
        return parts;
    }

    private static void putVarint(ByteBuf out, long value) {
        for (; (value & ~0x7f) != 0; value >>>= 7) out.writeByte((int) value & 0x7f | 0x80);
        out.writeByte((int) value);
    }

    /** A task with eight megabytes of empty inputs. */
    private static ByteBuf nested(long tag, int bytes, long lengthBits) {
        ByteBuf nested = Unpooled.buffer(bytes + 20);
        putVarint(nested, tag);
        putVarint(nested, lengthBits | bytes);
        return nested.writeBytes(emptyParts(bytes));
    }

    @Test
    void aRequestOfMillionsOfPartsIsNotRead() {
        int bytes = 8 << 20;
        ByteBuf parts = Unpooled.wrappedBuffer(emptyParts(bytes));
        long objects = (long) bytes / 2 * MessageWeight.FIELD_BYTES;
        for (ByteBuf each : List.of(parts, nested(TASKS, bytes, 0))) {
            assertThat(
                            MessageWeight.of(
                                    SUBMIT.request(),
                                    each,
                                    0,
                                    each.readableBytes(),
                                    Long.MAX_VALUE / 2))
                    .isBetween(objects, objects + 2L * bytes);
            assertRefused(each);
        }
    }

    /** A reader takes the lower 32 bits of a tag and of a length, however many there are. */
    @Test
    void partsBehindATagOrALengthWithTooManyBitsAreSeen() throws IOException {
        long surplus = 5L << 40;
        for (ByteBuf each :
                List.of(
                        nested(surplus | TASKS, 1 << 20, 0),
                        nested(TASKS, 1 << 20, surplus),
                        nested(surplus | TASKS, 1 << 20, surplus))) {
            int bytes = each.readableBytes();
            SubmitJobRequest read = Messages.parse(SUBMIT.request(), each, 0, bytes);
            assertThat(read.getTasks(0).getInputsCount()).isEqualTo(1 << 19);
            assertThat(MessageWeight.of(SUBMIT.request(), each, 0, bytes, Long.MAX_VALUE / 2))
                    .isGreaterThan((1L << 19) * MessageWeight.FIELD_BYTES);
        }
    }

    @Test
    void aNumberInAListTakesMoreThanItsByte() {
        StageRequest.Builder request = StageRequest.newBuilder();
        for (int i = 0; i < 10_000; i++) request.addDiscard(i);
        assertThat(weight(request.build())).isBetween(10_000L * 8, 10_000L * 80);
    }

    @Test
    void whatIsNoPartIsTakenForWhatItIs() {
        byte[] random = new byte[1 << 20];
        new Random(7).nextBytes(random);
        String numbers = "0 0 0 ".repeat(100_000);
        for (byte[] content :
                List.of(
                        random,
                        emptyParts(1 << 20),
                        numbers.getBytes(StandardCharsets.US_ASCII),
                        numbers.replace(' ', ',').getBytes(StandardCharsets.US_ASCII))) {
            ByteString data = ByteString.copyFrom(content);
            assertThat(weight(TaskInputRequest.newBuilder().setData(data).build()))
                    .isLessThan(content.length + 2000);
        }
    }

    @Test
    void aJobOfAHundredThousandTasksWithThreeNumbersEachIsTaken() {
        SubmitJobRequest.Builder job = SubmitJobRequest.newBuilder();
        for (int i = 0; i < 100_000; i++) {
            List<String> numbers = List.of("" + i, "" + i % 360, "" + 10 * i);
            TaskSpec.Builder task = TaskSpec.newBuilder();
            for (String number : numbers) task.addArgv(ByteString.copyFromUtf8(number));
            job.addTasks(task.setArgument(ByteString.copyFromUtf8(String.join(" ", numbers))));
        }
        Underway.Hold held = take(Unpooled.wrappedBuffer(job.build().toByteArray()));
        assertThat(room.isEmpty()).isFalse();
        held.end();
        held.end();
        held.cancelled();
        assertThat(room.isEmpty()).isTrue();
    }
}
