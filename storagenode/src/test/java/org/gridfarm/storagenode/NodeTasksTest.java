package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.failure;
import static org.gridfarm.storagenode.TestFarm.get;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.KillTaskRequest;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Tasks as schedulers ask for them. */
class NodeTasksTest {
    @TempDir Path root;

    @Test
    void tasksRunOncePerAttemptForSchedulersOnlyAndNoMoreThanThereAreSlots() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            Path log = root.resolve("runs");
            int self = (int) Files.getAttribute(root, "unix:uid");
            int user = self == 0 ? 65534 : self; // root's own tasks are refused
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
            RunTaskRequest task =
                    RunTaskRequest.newBuilder()
                            .setTask("1.1.1")
                            .addAllArgv(
                                    Stream.of(
                                                    "sh",
                                                    "-c",
                                                    "echo run >> "
                                                            + log
                                                            + "; read line < "
                                                            + root.resolve("gate"))
                                            .map(ByteString::copyFromUtf8)
                                            .toList())
                            .setUid(user)
                            .setGid(self == 0 ? user : (int) Files.getAttribute(root, "unix:gid"))
                            .build();
            new ProcessBuilder("mkfifo", "-m", "666", root.resolve("gate").toString())
                    .start()
                    .waitFor();
            Peer scheduler = farm.dial(farm.host("sched"), "n1");
            CompletableFuture<RunTaskReply> first =
                    scheduler.callPlain(StorageMethods.RUN_TASK, task, PATIENCE);
            CompletableFuture<RunTaskReply> again =
                    scheduler.callPlain(StorageMethods.RUN_TASK, task, PATIENCE);
            CompletableFuture<RunTaskReply> second =
                    scheduler.callPlain(
                            StorageMethods.RUN_TASK,
                            task.toBuilder().setTask("1.2.1").build(),
                            PATIENCE);
            assertThat(
                            failure(
                                            scheduler.callPlain(
                                                    StorageMethods.RUN_TASK,
                                                    task.toBuilder().setTask("1.3.1").build(),
                                                    PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.OVERLOADED);
            Peer administrator =
                    farm.dial(farm.authority.issueUser("/O=Test/CN=carol", Instant.now()), "n1");
            for (Peer other : List.of(farm.peer("n1"), administrator)) {
                for (CompletableFuture<?> refused :
                        List.of(
                                other.callPlain(StorageMethods.RUN_TASK, task, PATIENCE),
                                other.callPlain(
                                        StorageMethods.KILL_TASK,
                                        KillTaskRequest.newBuilder().setTask("1.1.1").build(),
                                        PATIENCE),
                                other.callPlain(
                                        StorageMethods.READ_TASK_OUTPUT,
                                        ReadTaskOutputRequest.newBuilder()
                                                .setTask("1.1.1")
                                                .setMax(1)
                                                .build(),
                                        PATIENCE),
                                other.callPlain(
                                        StorageMethods.WRITE_TASK_INPUT,
                                        WriteTaskInputRequest.newBuilder().setTask("1.1.1").build(),
                                        PATIENCE),
                                other.callPlain(
                                        StorageMethods.LIST_TASKS,
                                        Empty.getDefaultInstance(),
                                        PATIENCE))) {
                    assertThat(failure(refused).kind()).isEqualTo(ErrorKind.NOT_PERMITTED);
                }
            }
            await().atMost(PATIENCE)
                    .until(() -> Files.exists(log) && Files.readAllLines(log).size() == 2);
            assertThat(
                            get(scheduler.callPlain(
                                            StorageMethods.LIST_TASKS,
                                            Empty.getDefaultInstance(),
                                            PATIENCE))
                                    .getTasksList())
                    .containsExactlyInAnyOrder("1.1.1", "1.2.1");
            get(
                    scheduler.callPlain(
                            StorageMethods.KILL_TASK,
                            KillTaskRequest.newBuilder().setTask("1.2.1").build(),
                            PATIENCE));
            assertThat(get(second).getSignal()).isEqualTo(15);
            Files.writeString(root.resolve("gate"), "go\n");
            assertThat(get(first).getExitCode()).isZero();
            assertThat(get(again)).isEqualTo(get(first));
            assertThat(get(scheduler.callPlain(StorageMethods.RUN_TASK, task, PATIENCE)))
                    .isEqualTo(get(first));
            assertThat(Files.readAllLines(log)).hasSize(2);
        }
    }
}
