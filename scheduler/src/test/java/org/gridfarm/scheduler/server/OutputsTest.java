package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskOutputReply;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** All that a task wrote is answered, whenever it is asked for. */
class OutputsTest extends DispatcherFixture {
    private static final Identity ANN =
            new Identity("/CN=ann", Role.USER, List.of("ann"), Optional.empty(), false);

    private final List<Integer> read = new ArrayList<>(); // from the table
    private Optional<TaskInfo> row = Optional.empty();

    private Object ask(long offset, int waitMillis) {
        Outputs outputs =
                new Outputs(
                        dispatcher,
                        (_, index) -> {
                            read.add(index);
                            return row;
                        },
                        events,
                        Runnable::run,
                        Clock.system());
        return Answers.<TaskOutputRequest, TaskOutputReply>answered(
                ANN,
                TaskOutputRequest.newBuilder()
                        .setJob(1)
                        .setOffset(offset)
                        .setMax(100)
                        .setWaitMillis(waitMillis)
                        .build(),
                exchange -> events.execute(() -> outputs.answer(exchange)));
    }

    private static TaskOutputReply piece(String data, boolean isEnd) {
        return TaskOutputReply.newBuilder()
                .setData(ByteString.copyFromUtf8(data))
                .setEnd(isEnd)
                .setAttempt(1)
                .build();
    }

    private static RunTaskReply wrote(String data) {
        return RunTaskReply.newBuilder().setStdout(ByteString.copyFromUtf8(data)).build();
    }

    private void start() {
        held.add("ann");
        begin(List.of(), "n1");
        submit(1, "ann", job("", ""));
        await().until(() -> running.size() == 1);
    }

    /** What had its outcome a moment ago is not in the table yet. */
    @Test
    void theEndOfOutputIsThereAsSoonAsTheTaskHasEnded() {
        start();
        running.get(0).complete(wrote("all of it"));
        awaitState(1, "succeeded");
        assertThat(ask(0, 0)).isEqualTo(piece("all of it", true));
        assertThat(ask(4, 0)).isEqualTo(piece("of it", true));
        assertThat(ask(9, 0)).isEqualTo(piece("", true));
        assertThat(read).isEmpty();
    }

    @Test
    void whatIsNotInMemoryAnyMoreIsReadFromTheTable() {
        start();
        running.get(0).complete(wrote("long ago"));
        awaitState(1, "succeeded");
        row = asked(() -> Optional.of(dispatcher.require(1).tasks().get(0).info(true)));
        events.execute(() -> dispatcher.require(1).tasks().get(0).dropOutput());
        assertThat(ask(5, 0)).isEqualTo(piece("ago", true));
        assertThat(read).containsExactly(0);
    }

    @Test
    void whoFollowsATaskThatRunsIsNotToldThatItsNodeIsGone() {
        start();
        written.add(() -> CompletableFuture.failedFuture(gone()));
        assertThat(ask(0, 10)).isEqualTo(TaskOutputReply.getDefaultInstance());
        written.add(() -> CompletableFuture.failedFuture(gone()));
        assertThat(ask(0, 0)).isInstanceOf(FarmException.class);
        written.add(() ->
                CompletableFuture.failedFuture(
                        new FarmException(ErrorKind.INTERNAL, "task output", "1.0.1")));
        assertThat(ask(0, 10)).as("that does not pass").isInstanceOf(FarmException.class);
        written.add(() ->
                CompletableFuture.completedFuture(
                        ReadTaskOutputReply.newBuilder()
                                .setData(ByteString.copyFromUtf8("some"))
                                .build()));
        assertThat(ask(0, 10)).isEqualTo(piece("some", false));
    }

    private static FarmException gone() {
        return new FarmException(ErrorKind.UNAVAILABLE, "task output", "1.0.1");
    }
}
