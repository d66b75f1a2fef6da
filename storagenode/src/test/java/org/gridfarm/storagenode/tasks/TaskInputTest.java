package org.gridfarm.storagenode.tasks;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

class TaskInputTest {
    private static final int SECONDS_MAX = 30;

    private final TaskInput input = new TaskInput(Clock.system());

    private static WriteTaskInputRequest.Builder piece(long offset, String data) {
        return WriteTaskInputRequest.newBuilder()
                .setTask("1.0.1")
                .setOffset(offset)
                .setData(ByteString.copyFromUtf8(data))
                .setWaitMillis(5_000);
    }

    private WriteTaskInputReply write(WriteTaskInputRequest.Builder piece) throws Exception {
        return input.write(piece.build()).get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** What a task reads until the end. */
    private static final class Reader extends ByteArrayOutputStream {
        final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public void close() {
            closed.countDown();
        }

        String all() throws InterruptedException {
            assertTrue(closed.await(SECONDS_MAX, TimeUnit.SECONDS));
            return toString();
        }
    }

    @Test
    void piecesComeInOrderHoweverOftenTheyAreSent() throws Exception {
        Reader task = new Reader();
        input.feed(task, () -> {});

        assertEquals(3, write(piece(0, "one")).getAccepted());
        assertEquals(3, write(piece(0, "one")).getAccepted());
        assertEquals(3, write(piece(7, "three")).getAccepted(), "one before it is missing");
        assertEquals(6, write(piece(3, "two").setWaitMillis(0).setEnd(true)).getAccepted());

        assertEquals("onetwo", task.all());
    }

    @Test
    void theSenderWaitsForATaskThatReadsSlowly() throws Exception {
        String much = "x".repeat(TaskInput.HELD_BYTES_MAX);
        PipedInputStream in = new PipedInputStream();
        input.feed(new PipedOutputStream(in), () -> {});

        assertEquals(much.length(), write(piece(0, much)).getAccepted());
        CompletableFuture<WriteTaskInputReply> waiting =
                input.write(piece(much.length(), "y").build());
        assertFalse(waiting.isDone());
        assertEquals(much, new String(in.readNBytes(much.length()), "US-ASCII"));

        assertEquals(much.length() + 1, waiting.get(SECONDS_MAX, TimeUnit.SECONDS).getAccepted());
        input.close();
    }

    @Test
    void aTaskThatReadsNoMoreClosesIt() throws Exception {
        input.feed(
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                () -> {});

        write(piece(0, "one"));

        await().until(() -> write(piece(3, "two")).getClosed());
    }

    @Test
    void afterTheEndTheSenderHearsWhenTheTaskHasEnded() throws Exception {
        input.feed(new Reader(), () -> {});
        CompletableFuture<WriteTaskInputReply> end = input.write(piece(0, "").setEnd(true).build());
        assertFalse(end.isDone());

        input.close();

        assertTrue(end.get(SECONDS_MAX, TimeUnit.SECONDS).getClosed());
        assertFalse(input.isCutOff());
    }

    @Test
    void aTaskWhoseSenderIsGoneInTheMiddleIsEnded() throws Exception {
        SimClock clock = new SimClock();
        TaskInput silent = new TaskInput(clock);
        Reader task = new Reader();
        AtomicInteger kills = new AtomicInteger();
        silent.feed(task, kills::incrementAndGet);
        silent.write(piece(0, "part").build()).get(SECONDS_MAX, TimeUnit.SECONDS);

        clock.advance(TaskInput.SILENCE_MAX);
        assertEquals(0, kills.get());
        clock.advance(TaskInput.SILENCE_MAX);

        assertEquals(1, kills.get());
        assertTrue(silent.isCutOff());
    }

    @Test
    void aTaskThatWasSentNothingReadsAnEmptyInputThen() throws Exception {
        SimClock clock = new SimClock();
        TaskInput silent = new TaskInput(clock);
        Reader task = new Reader();
        silent.feed(
                task,
                () -> {
                    throw new AssertionError("killed");
                });

        clock.advance(TaskInput.SILENCE_MAX.multipliedBy(2));

        assertEquals("", task.all());
        assertFalse(silent.isCutOff());
    }

    @Test
    void aPieceThatIsTooLongIsRefused() {
        String tooMuch = "x".repeat(TaskInput.HELD_BYTES_MAX + 1);
        assertThrows(FarmException.class, () -> input.write(piece(0, tooMuch).build()));
    }
}
