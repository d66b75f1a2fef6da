package org.gridfarm.client.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.TaskInputReply;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Supplier;

class StandardInputTest {
    private static TaskInputReply refused(ErrorKind kind) {
        throw new FarmException(kind, "task input", "1");
    }

    private static TaskInputReply taken(List<Supplier<TaskInputReply>> answers) {
        Queue<Supplier<TaskInputReply>> left = new ArrayDeque<>(answers);
        return StandardInput.taken(_ -> left.remove().get(), TaskInputRequest.getDefaultInstance());
    }

    /** Many inputs of one user wait for tasks that are queued. */
    @Test
    void aSchedulerWithoutRoomForAPieceGetsItAgain() {
        TaskInputReply reply = TaskInputReply.newBuilder().setAccepted(5).build();
        assertThat(
                        taken(
                                List.of(
                                        () -> refused(ErrorKind.OVERLOADED),
                                        () -> refused(ErrorKind.OVERLOADED),
                                        () -> reply)))
                .isEqualTo(reply);
        assertThatThrownBy(() -> taken(List.of(() -> refused(ErrorKind.NOT_FOUND))))
                .isInstanceOf(FarmException.class);
    }
}
